#ifndef C_FILE_FAULTS_H
#define C_FILE_FAULTS_H

#include <stdint.h>

// Interposes between a process and the files of one directory: it records writes and syncs, or makes calls fail. In a
// program linked with this all calls of `open`, `pwrite`, `fsync` and their kin pass through here, also those of the
// libraries that it loads.

/// The kinds of records in the history.
enum file_faults_operation {
    /// A file was created. The data is its name.
    file_faults_created = 1,
    /// Bytes were written at an offset.
    file_faults_written = 2,
    /// A file was truncated, or extended with zeros, to the length in the offset.
    file_faults_truncated = 3,
    /// All earlier writes to a file have reached the disk; for file 0, all creations and deletions.
    file_faults_synced = 4,
    /// A file was deleted.
    file_faults_deleted = 5,
    /// The text of `file_faults_mark`, in the data.
    file_faults_marked = 6,
};

/// The header of each record; its data follows.
struct file_faults_record {
    uint32_t operation;
    /// The number of the file, from 1 on; a deleted and recreated one has another.
    uint32_t file;
    uint64_t offset;
    uint64_t length;
};

/// Begins recording the history of the files of a directory to a file elsewhere.
///
/// - Parameter syncs: 0 to make syncs do nothing, without a record.
void file_faults_note(const char *directory, const char *history, int syncs);

/// Writes a text into the history.
void file_faults_mark(const char *text);

/// Begins counting the calls for files of a directory, and makes one of them fail.
///
/// - Parameters:
///   - call: The number of the failing call, from 1 on; 0 for none.
///   - error: The value of `errno`; -1 to make a write do half of its work.
void file_faults_fail(const char *directory, uint64_t call, int error);

/// The number of calls so far that can fail.
uint64_t file_faults_calls(void);

#endif
