/*
 * Single-decree Paxos: PROPOSERS proposers (2 or 3), 3 acceptors, 1 learner. Every proposer proposes
 * once; proposer p has ballot p+1 and prefers the value p+1. One transition is one start or one
 * message. At most one message of a kind is ever in flight between two nodes, so a channel is a place
 * that holds 0 or the message: lossless, unordered, and with the sender known.
 *
 * The same as systems/paxos, step by step: both have the same states and transitions.
 */
#ifndef PROPOSERS
#define PROPOSERS 2
#endif
#define ACCEPTORS 3
#define MAJORITY  2

#define IDLE    0
#define READING 1
#define WRITTEN 2

#define AT(p, a) ((p) * ACCEPTORS + (a))

/* Proposers. */
byte phase[PROPOSERS];
byte replies[PROPOSERS];
byte highest[PROPOSERS];
byte found[PROPOSERS];  /* value of the highest */

/* Acceptors. */
byte promised[ACCEPTORS];
byte accepted[ACCEPTORS];
byte value[ACCEPTORS];

/* The learner, by ballot-1. */
byte accepts[PROPOSERS];
byte chosen[PROPOSERS]; /* what was accepted, from the majority on */

/* Messages in flight. */
bit  read[PROPOSERS * ACCEPTORS];
byte reply[PROPOSERS * ACCEPTORS];  /* 1 + 4 * ballot + value */
byte write[PROPOSERS * ACCEPTORS];  /* value */
byte accept[PROPOSERS * ACCEPTORS]; /* value */

#define PROPOSE(p) \
	:: d_step { \
		phase[p] == IDLE -> \
		phase[p] = READING; \
		read[AT(p, 0)] = 1; read[AT(p, 1)] = 1; read[AT(p, 2)] = 1; \
	}

#define READ(p, a) \
	:: d_step { \
		read[AT(p, a)] -> \
		read[AT(p, a)] = 0; \
		if \
		:: p + 1 > promised[a] -> \
			promised[a] = p + 1; \
			reply[AT(p, a)] = 1 + 4 * accepted[a] + value[a] \
		:: else \
		fi \
	}

#define BALLOT(m) (((m) - 1) / 4)
#define VALUE(m)  (((m) - 1) % 4)

#define REPLY(p, a) \
	:: d_step { \
		reply[AT(p, a)] -> \
		if \
		:: phase[p] == READING -> \
			if \
			:: BALLOT(reply[AT(p, a)]) > highest[p] -> \
				highest[p] = BALLOT(reply[AT(p, a)]); \
				found[p] = VALUE(reply[AT(p, a)]) \
			:: else \
			fi; \
			replies[p]++; \
			if \
			:: replies[p] == MAJORITY -> \
				write[AT(p, 0)] = (highest[p] == 0 -> p + 1 : found[p]); \
				write[AT(p, 1)] = write[AT(p, 0)]; \
				write[AT(p, 2)] = write[AT(p, 0)]; \
				phase[p] = WRITTEN; replies[p] = 0; highest[p] = 0; found[p] = 0 \
			:: else \
			fi \
		:: else \
		fi; \
		reply[AT(p, a)] = 0 \
	}

#define WRITE(p, a) \
	:: d_step { \
		write[AT(p, a)] -> \
		if \
		:: p + 1 >= promised[a] -> \
			promised[a] = p + 1; accepted[a] = p + 1; value[a] = write[AT(p, a)]; \
			accept[AT(p, a)] = value[a] \
		:: else \
		fi; \
		write[AT(p, a)] = 0 \
	}

/* No two different values have a majority. */
#define AGREES(p, v) (chosen[p] == 0 || chosen[p] == v)

#if PROPOSERS == 2
#define AGREE(v) (AGREES(0, v) && AGREES(1, v))
#else
#define AGREE(v) (AGREES(0, v) && AGREES(1, v) && AGREES(2, v))
#endif

#define ACCEPT(p, a) \
	:: d_step { \
		accept[AT(p, a)] -> \
		accepts[p]++; \
		if \
		:: accepts[p] >= MAJORITY -> \
			assert(AGREE(accept[AT(p, a)])); \
			chosen[p] = accept[AT(p, a)] \
		:: else \
		fi; \
		accept[AT(p, a)] = 0 \
	}

#define BETWEEN(p, a) READ(p, a) REPLY(p, a) WRITE(p, a) ACCEPT(p, a)
#define OF(p) PROPOSE(p) BETWEEN(p, 0) BETWEEN(p, 1) BETWEEN(p, 2)

active proctype paxos() {
end:
	do
	OF(0)
	OF(1)
#if PROPOSERS == 3
	OF(2)
#endif
	od
}
