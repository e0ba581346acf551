extension Store {
    /// Ends the store's life in order.
    ///
    /// From the moment of the call, actions from outside are refused: `dispatch` throws ``StoreError/shutDown``, `send`
    /// returns it. What was accepted before is reduced. Running effects are awaited or cancelled, as `drain` says; in
    /// both cases this returns only when all of them have ended, so that an effect that ignores its cancellation delays
    /// it. Then the observers' sequences end, after the newest value. The state stays readable.
    ///
    /// Cancelling the calling task cancels the effects that are still awaited. When an effect of the store calls this,
    /// or a task that such an effect has started, it does not wait for that effect, which may be waiting for it. Further
    /// calls wait for the same end.
    public nonisolated(nonsending) func shutdown(drain: ShutdownDrain) async {
        await root.shutdown(drain: drain)
    }
}
