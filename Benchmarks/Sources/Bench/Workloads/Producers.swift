/// Divides operations among tasks, and waits for all.
///
/// - Parameter body: does as many operations as it is told; called once for each producer.
@concurrent
func produce(_ count: Int, by producers: Int, _ body: @escaping @Sendable (_ share: Int) async -> Void) async {
    guard producers > 1 else { return await body(count) }
    await withDiscardingTaskGroup { group in
        for producer in 0..<producers {
            let share = count / producers + (producer < count % producers ? 1 : 0)
            group.addTask { await body(share) }
        }
    }
}
