package runtime

import (
	"cmp"
	"time"

	"gatehouse/agentd/policy"
	"gatehouse/agentd/wire"
)

// queueMode is what becomes of a message that comes while a run of its conversation is at work. What a machine sends is always a
// turn of its own.
func (t *tree) queueMode() wire.QueueMode {
	if !t.byPerson() {
		return wire.QueueFollowUp
	}
	usual := wire.QueueFollowUp // whoever waits for the run of each message, as a program does, gets an answer from each
	if t.fromMessenger() {
		usual = wire.QueueCollect
	}
	return cmp.Or(t.rt.config().Chats.Queue, usual)
}

// fromMessenger says whether a person wrote the message in a messenger, where one thought often comes as several messages.
func (t *tree) fromMessenger() bool {
	return t.byPerson() && policy.OriginOf(t.origin.Channel) == policy.FromChannel
}

// waits says what a message of the queue waits for. rt.mu is held.
func (q *sessionQueue) waits(t *tree) string {
	mode := t.queueMode()
	switch {
	case mode == wire.QueueFollowUp, !q.current.mayTake(t):
		return wire.WaitsTurn
	case mode == wire.QueueInterrupt && q.current.begun && len(q.waiting) == 1:
		return wire.WaitsTaken
	case mode == wire.QueueSteer:
		return wire.WaitsStep
	}
	return wire.WaitsMore
}

// mayTake says whether a message may become part of this turn: one that the same person wrote in the same place, to the same
// agent. A turn is never made of the words of two people, so it has the rights and the standing of the one who wrote it.
func (t *tree) mayTake(other *tree) bool {
	if !t.byPerson() || !other.byPerson() || other.root.said != "" || t.origin.Channel != other.origin.Channel {
		return false
	}
	if t.fromMessenger() && (t.origin.Address != other.origin.Address || t.origin.Known != other.origin.Known) {
		return false
	}
	samePerson := t.origin.UserID == other.origin.UserID && t.origin.Email == other.origin.Email && t.origin.Owner == other.origin.Owner
	return samePerson && t.root.agent == other.root.agent && isTalk(t.root.text) && isTalk(other.root.text)
}

// isTalk says whether a message is for a model: commands and what asks for a restore are carried out as they are.
func isTalk(text string) bool {
	_, restores := parseRestore(text)
	return !restores && commandOf(text) == nil
}

// maxBurst is how many times the debounce the first message of a burst waits at most.
const maxBurst = 4

// awaitBurst waits until a burst of messages is over, where they become one turn. In the portal a message that waits for nothing
// begins at once: whoever looks at the page sees the answer begin, and what they add is collected while it is written.
func (r *Runtime) awaitBurst(q *sessionQueue, t *tree, quiet bool) {
	mode, messenger := t.queueMode(), t.fromMessenger()
	if mode == wire.QueueFollowUp || !messenger && (quiet || mode != wire.QueueCollect) {
		return
	}
	for {
		left := r.burstLeft(q, t)
		if left <= 0 {
			return
		}
		timer := time.NewTimer(left)
		select {
		case <-timer.C:
		case <-t.ctx.Done():
		case <-r.closing.Done():
		}
		timer.Stop()
		if t.ctx.Err() != nil || r.isClosing() {
			return
		}
	}
}

// burstLeft is how long to wait yet: until nothing came for the debounce.
func (r *Runtime) burstLeft(q *sessionQueue, t *tree) time.Duration {
	burst, now, newest := r.config().Chats.Burst(), r.now(), t.came
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, other := range q.waiting {
		if t.mayTake(other) && other.came.After(newest) {
			newest = other.came
		}
	}
	return min(newest.Add(burst).Sub(now), t.came.Add(maxBurst*burst).Sub(now))
}
