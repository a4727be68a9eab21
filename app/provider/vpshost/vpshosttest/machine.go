package vpshosttest

import (
	"errors"
	"slices"
	"testing"
	"time"

	"gatehouse/app/machine"
)

// rescueKey is a public SSH key of nobody.
const rescueKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIEgIxC8XWcP1zLyyMoGNgP0G2yUfU8Gr1zBpJ4dsaNZD nobody@example.com"

// bed is one machine that a place is held to its promises with.
type bed struct {
	t     *testing.T
	place machine.Place
	id    string
	begun func() int
}

// Machine holds a place to what the interfaces of package machine promise that it implements: what is asked for twice with one mark is
// begun once, and what has ended has happened. The machine of the server is on. Begun says how much the place ever began.
func Machine(t *testing.T, p machine.Place, serverID string, begun func() int) {
	t.Helper()
	b := &bed{t, p, serverID, begun}
	if !machine.AbilitiesOf(p).Any() {
		t.Fatalf("%s can do nothing with machines", p.Name())
	}
	if p, ok := p.(machine.Powered); ok {
		b.power(p)
	}
	if p, ok := p.(machine.Rescued); ok {
		b.twice("rescue on", machine.Ask{Key: rescueKey}, func(a machine.Ask) (string, error) { return p.Rescue(t.Context(), a, true) })
		b.twice("rescue off", machine.Ask{}, func(a machine.Ask) (string, error) { return p.Rescue(t.Context(), a, false) })
	}
	if p, ok := p.(machine.Copied); ok {
		b.snapshots(p)
	}
	if p, ok := p.(machine.Reinstalled); ok {
		b.twice("reinstall", machine.Ask{}, func(a machine.Ask) (string, error) { return p.Reinstall(t.Context(), a) })
	}
	if p, ok := p.(machine.Measured); ok {
		now := time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
		got, err := p.Measures(t.Context(), serverID, now.Add(-time.Hour), now)
		if err != nil || len(got) == 0 {
			t.Errorf("%s: measures %+v, %v", b.place.Name(), got, err)
		}
	}
	b.nowhere()
}

// power switches the machine through all that there is.
func (b *bed) power(p machine.Powered) {
	b.t.Helper()
	for _, step := range []struct {
		verb machine.Verb
		then machine.Power
	}{
		{machine.On, machine.PowerOn}, // it is on already
		{machine.Off, machine.PowerOff},
		{machine.Off, machine.PowerOff},
		{machine.On, machine.PowerOn},
		{machine.Reset, machine.PowerOn},
	} {
		b.twice(string(step.verb), machine.Ask{}, func(a machine.Ask) (string, error) { return p.Switch(b.t.Context(), a, step.verb) })
		s, err := p.State(b.t.Context(), b.id)
		if err != nil || s.Power != step.then {
			b.t.Errorf("%s: after %s it is %q, %v", b.place.Name(), step.verb, s.Power, err)
		}
	}
}

// snapshots makes two, restores the first, and drops both.
func (b *bed) snapshots(p machine.Copied) {
	b.t.Helper()
	ctx := b.t.Context()
	for _, name := range []string{"gatehouse-daily-2026-01-01", "gatehouse-hand-20260102-030405"} {
		b.twice("take", machine.Ask{Name: name}, func(a machine.Ask) (string, error) { return p.Take(ctx, a) })
	}
	all, err := p.Snapshots(ctx, b.id)
	sound := err == nil && len(all) == 2 && all[0].Ready && !all[0].MadeAt.IsZero()
	if !sound || !all[0].Daily() || all[1].Daily() {
		b.t.Fatalf("%s: snapshots %+v, %v", b.place.Name(), all, err)
	}
	b.twice("restore", machine.Ask{Snapshot: all[0].Place}, func(a machine.Ask) (string, error) { return p.Restore(ctx, a) })
	for _, s := range all {
		b.twice("drop", machine.Ask{Snapshot: s.Place}, func(a machine.Ask) (string, error) { return p.Drop(ctx, a) })
	}
	if left, err := p.Snapshots(ctx, b.id); err != nil || len(left) > 0 {
		b.t.Errorf("%s: %+v are left, %v", b.place.Name(), left, err)
	}
	_, err = p.Restore(ctx, machine.Ask{ServerID: b.id, Mark: b.mark(), Snapshot: all[0].Place})
	b.refuses("restore what is gone", err)
}

func (b *bed) mark() string {
	b.t.Helper()
	record, ok := b.place.(machine.Recorded)
	if !ok {
		return ""
	}
	mark, err := record.Mark(b.t.Context(), b.id)
	if err != nil {
		b.t.Fatalf("%s: mark: %v", b.place.Name(), err)
	}
	return mark
}

// twice asks for one thing two times with one mark, as a worker does whose predecessor was killed before it kept the answer: nothing
// more is begun, and both wait for the same end.
func (b *bed) twice(what string, a machine.Ask, do func(machine.Ask) (string, error)) {
	b.t.Helper()
	a.ServerID, a.Mark = b.id, b.mark()
	first := b.begin(what, a, do)
	was := b.begun()
	second := b.begin(what, a, do)
	if _, recorded := b.place.(machine.Recorded); recorded && (first != second || b.begun() != was) {
		b.t.Errorf("%s: %s twice began %d more: %q, then %q", b.place.Name(), what, b.begun()-was, first, second)
	}
	b.ended(what, first)
}

// begin asks until the place takes it: it may be busy with what was asked for before.
func (b *bed) begin(what string, a machine.Ask, do func(machine.Ask) (string, error)) string {
	b.t.Helper()
	task, err := do(a)
	if err != nil {
		b.t.Fatalf("%s: %s: %v", b.place.Name(), what, err)
	}
	return task
}

// ended waits for the end of a task.
func (b *bed) ended(what, task string) {
	b.t.Helper()
	record, ok := b.place.(machine.Recorded)
	if !ok || task == "" {
		return
	}
	for range 1000 {
		done, err := record.Ended(b.t.Context(), b.id, task)
		if err != nil {
			b.t.Fatalf("%s: %s: %v", b.place.Name(), what, err)
		}
		if done {
			return
		}
	}
	b.t.Fatalf("%s: %s never ends", b.place.Name(), what)
}

// nowhere asks for a server that the place has no machine for.
func (b *bed) nowhere() {
	b.t.Helper()
	const never = "01980000-0000-7000-8000-00000000000f"
	ctx := b.t.Context()
	if p, ok := b.place.(machine.Powered); ok {
		_, err := p.State(ctx, never)
		b.refuses("state of nothing", err)
		for _, verb := range []machine.Verb{machine.On, machine.Off, machine.Reset} {
			_, err := p.Switch(ctx, machine.Ask{ServerID: never, Mark: "0"}, verb)
			b.refuses(string(verb)+" of nothing", err)
		}
	}
	if p, ok := b.place.(machine.Copied); ok {
		_, err := p.Take(ctx, machine.Ask{ServerID: never, Mark: "0", Name: "gatehouse-daily-2026-01-01"})
		b.refuses("take of nothing", err)
	}
}

// refuses wants a refusal that people can read.
func (b *bed) refuses(what string, err error) {
	b.t.Helper()
	var r machine.Refusal
	if !errors.As(err, &r) || slices.Contains([]string{"", "."}, r.Refusal()) {
		b.t.Errorf("%s: %s is no refusal: %v", b.place.Name(), what, err)
	}
}
