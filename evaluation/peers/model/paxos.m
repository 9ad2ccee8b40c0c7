-- Single-decree Paxos: proposers, 3 acceptors, 1 learner. Every proposer proposes once; proposer p has
-- ballot p and prefers the value p. One rule is one start or one message. At most one message of a kind
-- is ever in flight between two nodes, so a channel is a place that holds nothing or the message:
-- lossless, unordered, and with the sender known.
--
-- The same as systems/paxos, step by step: both have the same states and transitions.

const
  PROPOSERS: 2;
  ACCEPTORS: 3;
  MAJORITY: 2;

type
  Proposer: 1..PROPOSERS;
  Acceptor: 1..ACCEPTORS;
  Ballot: 0..PROPOSERS; -- 0: none
  Value: 0..PROPOSERS;  -- 0: none

var
  phase: array[Proposer] of enum { idle, reading, written };
  replies: array[Proposer] of 0..MAJORITY;
  highest: array[Proposer] of Ballot;
  found: array[Proposer] of Value; -- that of the highest

  promised: array[Acceptor] of Ballot;
  accepted: array[Acceptor] of Ballot;
  val: array[Acceptor] of Value;

  accepts: array[Proposer] of 0..ACCEPTORS; -- by ballot
  chosen: array[Proposer] of Value;         -- what was accepted, from the majority on

  -- Messages in flight.
  read: array[Proposer] of array[Acceptor] of boolean;
  reply: array[Proposer] of array[Acceptor] of record
    sent: boolean;
    ballot: Ballot;
    value: Value;
  end;
  write: array[Proposer] of array[Acceptor] of Value;
  accept: array[Proposer] of array[Acceptor] of Value;

startstate begin
  for p: Proposer do
    phase[p] := idle;
    replies[p] := 0;
    highest[p] := 0;
    found[p] := 0;
    accepts[p] := 0;
    chosen[p] := 0;
    for a: Acceptor do
      read[p][a] := false;
      reply[p][a].sent := false;
      reply[p][a].ballot := 0;
      reply[p][a].value := 0;
      write[p][a] := 0;
      accept[p][a] := 0;
    end;
  end;
  for a: Acceptor do
    promised[a] := 0;
    accepted[a] := 0;
    val[a] := 0;
  end;
end;

ruleset p: Proposer do

  rule "propose"
    phase[p] = idle
  ==> begin
    phase[p] := reading;
    for a: Acceptor do
      read[p][a] := true;
    end;
  end;

  ruleset a: Acceptor do

    rule "read"
      read[p][a]
    ==> begin
      read[p][a] := false;
      if p > promised[a] then
        promised[a] := p;
        reply[p][a].sent := true;
        reply[p][a].ballot := accepted[a];
        reply[p][a].value := val[a];
      end;
    end;

    rule "reply"
      reply[p][a].sent
    ==> begin
      if phase[p] = reading then
        if reply[p][a].ballot > highest[p] then
          highest[p] := reply[p][a].ballot;
          found[p] := reply[p][a].value;
        end;
        replies[p] := replies[p] + 1;
        if replies[p] = MAJORITY then
          for b: Acceptor do
            write[p][b] := highest[p] = 0 ? p : found[p];
          end;
          phase[p] := written;
          replies[p] := 0;
          highest[p] := 0;
          found[p] := 0;
        end;
      end;
      reply[p][a].sent := false;
      reply[p][a].ballot := 0;
      reply[p][a].value := 0;
    end;

    rule "write"
      write[p][a] != 0
    ==> begin
      if p >= promised[a] then
        promised[a] := p;
        accepted[a] := p;
        val[a] := write[p][a];
        accept[p][a] := write[p][a];
      end;
      write[p][a] := 0;
    end;

    rule "accept"
      accept[p][a] != 0
    ==> begin
      accepts[p] := accepts[p] + 1;
      if accepts[p] >= MAJORITY then
        for q: Proposer do
          assert chosen[q] = 0 | chosen[q] = accept[p][a] "no two different values have a majority";
        end;
        chosen[p] := accept[p][a];
      end;
      accept[p][a] := 0;
    end;

  end;
end;

