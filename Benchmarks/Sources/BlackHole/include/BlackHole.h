#ifndef BLACK_HOLE_H
#define BLACK_HOLE_H

// Does nothing, in a way that the optimiser cannot see through. Called between two operations, it keeps the optimiser
// from merging them, which it does with awaited calls on an actor and which would make them look five times cheaper.
void blackHole(void);

#endif
