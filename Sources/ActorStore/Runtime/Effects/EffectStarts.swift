/// Effects whose tasks are to be started, in order.
@usableFromInline typealias EffectStarts = ShortList<EffectJob>
