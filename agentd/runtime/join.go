package runtime

import (
	"context"
	"fmt"
	"unicode/utf8"

	"gatehouse/agentd/llm"
	"gatehouse/agentd/taint"
	"gatehouse/agentd/wire"
)

// maxJoined is how many messages become part of one turn.
const maxJoined = 20

// takeWaiting makes the messages that wait part of this turn, before its next model call: all that wait at its beginning, and
// later those that are to steer it. Each is a run that has ended then, and says where its answer comes. That is durable before
// the model is asked, so a message is never answered twice.
func (r *run) takeWaiting() error {
	if r.parent != nil || r.restated || !r.t.byPerson() || !r.rt.someWait(r.t, r.steps == 0) {
		return nil
	}
	// What the model reads before them must be on disk before them: a transcript is read back in its order.
	if err := r.t.events.Sync(); err != nil {
		return fmt.Errorf("keep what came before: %w", err)
	}
	for {
		other := r.rt.takeNext(r.t, r.steps == 0)
		if other == nil {
			return nil
		}
		if err := r.join(other); err != nil {
			return err
		}
	}
}

// someWait says whether a message waits that becomes part of the turn now. From then on the turn has begun.
func (rt *Runtime) someWait(t *tree, begins bool) bool {
	rt.mu.Lock()
	defer rt.mu.Unlock()
	t.begun = true
	q := rt.sessions[t.session]
	return q.firstFor(t, begins) != nil
}

// takeNext takes the next message that becomes part of the turn out of the queue; nil when there is none.
func (rt *Runtime) takeNext(t *tree, begins bool) *tree {
	rt.mu.Lock()
	defer rt.mu.Unlock()
	q := rt.sessions[t.session]
	for {
		other := q.firstFor(t, begins)
		if other == nil {
			return nil
		}
		q.waiting = q.waiting[1:]
		if other.started.CompareAndSwap(false, true) { // otherwise it is being stopped
			return other
		}
	}
}

// firstFor is the first message that waits, if it becomes part of a turn that is at work; those behind it wait for it. rt.mu is held.
func (q *sessionQueue) firstFor(t *tree, begins bool) *tree {
	if q == nil || q.current != t || len(q.waiting) == 0 || t.ctx.Err() != nil { // a message that stopped the turn is the next one
		return nil
	}
	other := q.waiting[0]
	mode := other.queueMode()
	fits := mode == wire.QueueSteer || begins && mode != wire.QueueFollowUp
	if !fits || !t.mayTake(other) || !t.hasRoom(other) {
		return nil
	}
	return other
}

// hasRoom bounds what becomes part of one turn.
func (t *tree) hasRoom(other *tree) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	all := utf8.RuneCountInString(t.root.text) + utf8.RuneCountInString(other.root.text)
	for _, row := range t.joined {
		all += utf8.RuneCountInString(row.Text)
	}
	return len(t.joined) < maxJoined && all <= maxMessage
}

// join makes a message that waited part of this turn. What comes from outside with it stands behind the turn from now on, and the
// turn stands no higher than the message.
func (r *run) join(other *tree) error {
	rt, root := r.rt, other.root
	from, err := taint.OfRun(context.WithoutCancel(r.ctx), rt.store, root.id)
	if err != nil {
		rt.putBack(other)
		return err
	}
	row := runRow{
		ID: root.id, Text: root.text, Files: root.attached, LevelCap: other.levelCap, Joined: r.id, JoinedStep: r.steps,
	}
	final := wire.FinalData{
		RunID: root.id, Agent: root.agent, Verdict: wire.VerdictNothingRan, Claims: []wire.Claim{}, Receipts: []int64{}, Into: r.id,
	}
	err = other.events.Finish(wire.EventFinal, func(n int64) any { final.N = n; return final },
		rt.inTx(func(tx txn) error { return r.recordJoined(tx, row, final, from) }))
	close(other.done)
	rt.forget(other)
	if rt.ended != nil {
		rt.ended()
	}
	if err != nil {
		return fmt.Errorf("keep message: %w", err)
	}
	if other.levelCap > 0 && (r.t.levelCap == 0 || other.levelCap < r.t.levelCap) {
		r.t.levelCap = other.levelCap
	}
	r.addTaint(from)
	r.t.mu.Lock()
	r.t.joined = append(r.t.joined, row)
	r.t.mu.Unlock()
	r.hear(row)
	return nil
}

// putBack lets a message wait again that was taken out of the queue.
func (rt *Runtime) putBack(other *tree) {
	rt.mu.Lock()
	defer rt.mu.Unlock()
	other.started.Store(false)
	if q := rt.sessions[other.session]; q != nil {
		q.waiting = append([]*tree{other}, q.waiting...)
	}
}

// recordJoined ends the run of a message that became part of this one.
func (r *run) recordJoined(tx txn, row runRow, final wire.FinalData, from taint.Sources) error {
	now := r.rt.now()
	err := tx.exec("keep message", `UPDATE runs SET state = 'done', verdict = ?, claims = '[]', final = ?, joined = ?, joined_step = ?,
		started_at = ?, ended_at = ? WHERE id = ?`,
		string(final.Verdict), toJSON(final), row.Joined, row.JoinedStep, micros(now), micros(now), row.ID)
	if err != nil {
		return err
	}
	if err := tx.exec("keep message", "DELETE FROM run_cancels WHERE run_id = ?", row.ID); err != nil {
		return err
	}
	for _, s := range from {
		if err := taint.Record(r.rt.store, tx.tx, r.id, s, now); err != nil {
			return err
		}
	}
	err = tx.exec("keep level", "UPDATE runs SET level_cap = ?1 WHERE id = ?2 AND ?1 > 0 AND (level_cap = 0 OR level_cap > ?1)",
		row.LevelCap, r.id)
	if err != nil {
		return err
	}
	return tx.exec("keep state", "UPDATE sessions SET state = 'running' WHERE id = ?", r.t.session)
}

// hear puts a message that became part of the turn before the model: with what the person wrote just before, as one message.
func (r *run) hear(row runRow) {
	text := withFiles(row.Text, row.Files)
	if last := &r.messages[len(r.messages)-1]; last.Role == llm.User {
		last.Text += "\n\n" + text
		return
	}
	r.messages = append(r.messages, llm.Message{Role: llm.User, Text: text})
}

// hearJoined puts those of the messages before the model that came after no later step, and returns the others.
func (r *run) hearJoined(rows []runRow, step int) []runRow {
	for len(rows) > 0 && rows[0].JoinedStep <= step {
		r.hear(rows[0])
		rows = rows[1:]
	}
	return rows
}

// joinedMessages are the messages that became part of this turn, in order.
func (r *run) joinedMessages() []runRow {
	if r.parent != nil {
		return nil
	}
	r.t.mu.Lock()
	defer r.t.mu.Unlock()
	return r.t.joined
}

// joinedTexts are what else the person wrote who wrote the message of the root run.
func (t *tree) joinedTexts() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var all []string
	for _, row := range t.joined {
		all = append(all, row.Text)
	}
	return all
}
