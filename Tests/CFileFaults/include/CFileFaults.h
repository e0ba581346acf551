#ifndef C_FILE_FAULTS_H
#define C_FILE_FAULTS_H

#include <stdint.h>

// Stands between a process and the files of one directory: it notes what is written there and when that is synced, or has
// calls fail. A program that is linked with this has all its calls of `open`, `pwrite`, `fsync` and their kin pass through
// here, also those of the libraries that it loads.

/// What a record of the history says.
enum file_faults_operation {
    /// A file was created. The data is its name.
    file_faults_created = 1,
    /// Bytes were written at an offset.
    file_faults_written = 2,
    /// A file was cut, or extended with zeros, to the length that the offset says.
    file_faults_truncated = 3,
    /// All that was written to a file before has reached the disk; of file 0, all that was created and deleted.
    file_faults_synced = 4,
    /// A file was deleted.
    file_faults_deleted = 5,
    /// What `file_faults_mark` said. The data is the text.
    file_faults_marked = 6,
};

/// The head of each record; its data follows.
struct file_faults_record {
    uint32_t operation;
    /// The number of the file, from 1 on; one that is deleted and created again has another.
    uint32_t file;
    uint64_t offset;
    uint64_t length;
};

/// Begins to write the history of the files of a directory to a file elsewhere.
///
/// - Parameter syncs: 0 to have no sync do anything, nor be noted.
void file_faults_note(const char *directory, const char *history, int syncs);

/// Writes a text into the history.
void file_faults_mark(const char *text);

/// Begins to count the calls that concern files of a directory, and has one of them fail.
///
/// - Parameters:
///   - call: The number of the call that fails, from 1 on; 0 for none.
///   - error: What `errno` is then; -1 to have a write do half of what it was asked for.
void file_faults_fail(const char *directory, uint64_t call, int error);

/// How many calls there have been that can fail.
uint64_t file_faults_calls(void);

#endif
