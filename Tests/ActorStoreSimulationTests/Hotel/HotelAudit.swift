import ActorStore

/// The final conditions of a hotel.
struct HotelAudit {
    typealias Room = Hotel.Room

    let system: HotelSystem
    let observers: HotelObservers
    let guests: [HotelGuest]
    /// The states of the remaining stores after the shutdown; nil if the group was released.
    let last: [Room: Hotel.State]?

    func check() throws {
        try Hotel.require(system.log.complaints.isEmpty, system.log.complaints.joined(separator: " "))
        try Hotel.require(system.log.runningEffects == 0, "\(system.log.runningEffects) effects have not ended.")
        try Hotel.require(system.roomsHandedOver.isEmpty, "\(system.roomsHandedOver) are still handed over.")
        var models: [Room: RoomModel] = [:]
        for room in Room.all {
            let model = try RoomModel(system.log.events(of: room))
            if let last {
                try model.finish(with: last[room])
                let isLeft = system.closedRooms?.contains(room) == true && !model.canBeStateless
                try Hotel.require(last[room] != nil || !isLeft, "The store of \(room) has gone after the shutdown.")
            }
            try checkEntries(of: room, model)
            models[room] = model
        }
        try observers.check(models, last: last)
    }

    /// Each accepted action was reduced once, in the order of its sender, unless its store had no state; and no refused
    /// action was reduced.
    private func checkEntries(of room: Room, _ model: RoomModel) throws {
        var count = 0
        for guest in guests {
            let records = guest.records.filter { $0.entry.room == room }
            for record in records {
                let times = model.reduced.count { $0 == record.entry }
                let isLost =
                    record.outcome == .accepted && times == 0
                    && model.stateless.contains { $0.upperBound >= record.start }
                let expected = record.outcome == .refused || isLost ? 0 : 1
                try Hotel.require(
                    times == expected,
                    "\(record.entry) was \(record.outcome), and is there \(times) times."
                )
                count += times
            }
            let numbers = model.reduced.filter { $0.guest == guest.number && !$0.isFeedback }.map(\.number)
            try Hotel.require(numbers == numbers.sorted(), "\(room) has \(numbers) of guest \(guest.number).")
        }
        for (entry, isReduced) in system.log.feedback where entry.room == room {
            let times = model.reduced.count { $0 == entry }
            // An effect's action is dropped if the effect is cancelled before its reduction.
            let isDropped = times == 0 && !isReduced && system.log.mayCancelEffects(of: room)
            try Hotel.require(times == 1 || isDropped, "Feedback \(entry) was accepted and is there \(times) times.")
            count += times
        }
        try Hotel.require(
            model.reduced.count == count,
            "\(room) has reduced \(model.reduced.count) actions, not \(count)."
        )
    }
}
