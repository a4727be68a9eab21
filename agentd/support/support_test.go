package support_test

import (
	"strings"
	"testing"
	"time"

	"gatehouse/agentd/wire"
)

var aFile = wire.SupportAsk{See: wire.SeeFile, Name: "notes/today.md"}

// TestLook: with a window that the owner signed, its member of staff sees content, sealed to the key of the look, without
// secrets, and on record before it was read.
func TestLook(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	state := w.opened()
	if want := w.now().Add(time.Hour); !state.Until.Equal(want) || state.Why != "" || len(w.states) != 1 {
		t.Fatalf("opened %+v, told %+v", state, w.states)
	}
	l, own := w.looking(w.clerk, aFile)
	text, err := w.shown(l, own)
	must(t, err)
	if !strings.Contains(text, "hello, the token is") || strings.Contains(text, secret) {
		t.Errorf("shown: %s", text)
	}
	if w.receipts("support.opened") != 1 || w.receipts("support.looked") != 1 || len(w.lines) != 1 {
		t.Errorf("receipts of %d looks, lines %+v", w.receipts("support.looked"), w.lines)
	}
	if l := w.lines[0]; l.Staff != "clerk@example.com" || l.See != wire.SeeFile || l.Refused != "" {
		t.Errorf("line %+v", l)
	}
	got, err := w.call(wire.MethodSupportLooks, wire.SupportLooksParams{Window: windowID})
	must(t, err)
	if all := got.(wire.SupportLooks).Items; len(all) != 1 || all[0].Name != aFile.Name {
		t.Errorf("looks %+v", all)
	}
}

// TestLook_refused: whatever differs from what the owner and the member of staff signed shows nothing, and is on record.
func TestLook_refused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.opened()
	good, _ := w.looking(w.clerk, aFile)
	_, foreign, err := wire.NewSecretKey()
	must(t, err)
	again := func(by wire.Signer, change func(*wire.SupportLook)) wire.SupportLook {
		l, _ := w.looking(w.clerk, aFile)
		change(&l)
		w.sign(by, &l)
		return l
	}
	after := func(change func(*wire.SupportLook)) wire.SupportLook {
		l, _ := w.looking(w.clerk, aFile)
		change(&l)
		return l
	}
	for name, tc := range map[string]struct {
		look wire.SupportLook
		want string
	}{
		"no signature":         {after(func(l *wire.SupportLook) { l.Signature = nil }), "nobody has signed"},
		"another of the staff": {again(w.other, func(*wire.SupportLook) {}), "none of those"},
		"the owner's own key":  {again(w.owner, func(*wire.SupportLook) {}), "none of those"},
		"the box key swapped":  {after(func(l *wire.SupportLook) { l.BoxKey = foreign }), "does not hold"},
		"another file":         {after(func(l *wire.SupportLook) { l.Ask.Name = "books.csv" }), "does not hold"},
		"another kind":         {after(func(l *wire.SupportLook) { l.Ask.See = wire.SeeFiles }), "does not hold"},
		"another key's name":   {after(func(l *wire.SupportLook) { l.Signature.KeyID = w.other.KeyID }), "none of those"},
		"another time": {
			after(func(l *wire.SupportLook) { l.Signature.Time = l.Signature.Time.Add(time.Second) }),
			"does not hold",
		},
		"no key for a box": {again(w.clerk, func(l *wire.SupportLook) { l.BoxKey = "AAAA" }), "no key to which"},
		"content it is not for": {again(w.clerk, func(l *wire.SupportLook) {
			l.Ask = wire.SupportAsk{
				See:  wire.SeeLogs,
				Name: "shop",
			}
		}), "not for that kind"},
		"a window there is not":  {again(w.clerk, func(l *wire.SupportLook) { l.Window = serverID }), "no support window is open"},
		"something there is not": {again(w.clerk, func(l *wire.SupportLook) { l.Ask.See = "vault" }), "nothing of that kind"},
	} {
		_, err := w.call(wire.MethodSupportLook, tc.look)
		wantRefused(t, name, err, tc.want)
	}
	if len(w.read) != 0 || w.receipts("support.looked") != 0 || w.receipts("support.refused") != 11 {
		t.Errorf("read %v; %d refusals on record", w.read, w.receipts("support.refused"))
	}
	for _, l := range w.lines {
		if l.Refused == "" {
			t.Errorf("line %+v", l)
		}
	}
	if _, err := w.call(wire.MethodSupportLook, good); err != nil {
		t.Errorf("what the member of staff signed: %v", err)
	}
	_, err = w.call(wire.MethodSupportLook, good)
	wantRefused(t, "once more", err, "used before")
}

// TestLook_times: a look is good for minutes, and a window until it runs out by the clock of the server.
func TestLook_times(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.opened()
	old, _ := w.looking(w.clerk, aFile)
	w.move(5*time.Minute + time.Second)
	_, err := w.call(wire.MethodSupportLook, old)
	wantRefused(t, "an old look", err, "more than 5 minutes")
	w.move(54*time.Minute + 58*time.Second)
	if l, own := w.looking(w.clerk, aFile); true {
		if _, err := w.shown(l, own); err != nil {
			t.Errorf("a second before the end: %v", err)
		}
	}
	w.move(time.Second)
	l, _ := w.looking(w.clerk, wire.SupportAsk{See: wire.SeeConversations})
	_, err = w.call(wire.MethodSupportLook, l)
	wantRefused(t, "after the end", err, "has run out")
	if last := w.states[len(w.states)-1]; last.Why != wire.SupportRanOut || last.ClosedAt.IsZero() {
		t.Errorf("told %+v", last)
	}
	w.move(-30 * time.Minute)
	l, _ = w.looking(w.clerk, aFile)
	_, err = w.call(wire.MethodSupportLook, l)
	wantRefused(t, "with the clock set back", err, "has run out")
}

// TestLook_clockBack: a clock that is set back makes no window longer.
func TestLook_clockBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.opened()
	w.move(50 * time.Minute)
	l, own := w.looking(w.clerk, aFile)
	_, err := w.shown(l, own)
	must(t, err)
	w.move(-40 * time.Minute)
	l, _ = w.looking(w.clerk, aFile)
	_, err = w.call(wire.MethodSupportLook, l)
	wantRefused(t, "a clock set back", err, "has run out")
}

// TestSweep: a window that nobody looks through any more ends on record as well.
func TestSweep(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.opened()
	must(t, w.windows.Sweep(t.Context()))
	if w.receipts("support.closed") != 0 {
		t.Error("it ended before its time")
	}
	w.move(time.Hour)
	must(t, w.windows.Sweep(t.Context()))
	must(t, w.windows.Sweep(t.Context()))
	if n := w.receipts("support.closed"); n != 1 {
		t.Errorf("%d ends on record", n)
	}
}

// TestClose: closing takes no signature, holds at once, also for what is being read, and once closed stays closed.
func TestClose(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.opened()
	shut := wire.SupportClose{ID: windowID, By: wire.DecidedBy{Name: "owner@example.org"}}
	w.during = func() { must(t, w.close(shut)) }
	l, _ := w.looking(w.clerk, aFile)
	_, err := w.call(wire.MethodSupportLook, l)
	wantRefused(t, "closed while it was read", err, "was closed")
	if w.receipts("support.failed") != 1 {
		t.Error("that nothing was shown is not on record")
	}
	w.during = nil
	l, _ = w.looking(w.clerk, wire.SupportAsk{See: wire.SeeFiles})
	_, err = w.call(wire.MethodSupportLook, l)
	wantRefused(t, "closed", err, "was closed")
	must(t, w.close(shut))
	if s := w.states[len(w.states)-1]; s.Why != wire.SupportClosed || s.By != "owner@example.org" || w.receipts("support.closed") != 1 {
		t.Errorf("closed once more: %+v", s)
	}
	again, err := w.call(wire.MethodSupportOpen, w.opening(w.owner, w.body()))
	if err != nil || again.(wire.SupportState).Why != wire.SupportClosed {
		t.Errorf("signed once more: %+v, %v", again, err)
	}
	must(t, w.close(wire.SupportClose{ID: serverID})) // one that was never opened
	if w.receipts("support.closed") != 1 {
		t.Error("a window that was never opened was closed on record")
	}
}

// TestOpen_refused: a window is what a key of an owner has signed, and nothing else.
func TestOpen_refused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.trust(w.other, wire.HolderStaff)
	member := signer(t)
	w.trust(member, wire.HolderMember)
	good := w.opening(w.owner, w.body())
	forged := func(change func(*wire.SupportOpen)) wire.SupportOpen {
		o := w.opening(w.owner, w.body())
		o.Body = w.body()
		change(&o)
		return o
	}
	shaped := func(change func(*wire.SupportBody)) wire.SupportOpen {
		b := w.body()
		change(&b)
		return w.opening(w.owner, b)
	}
	for name, tc := range map[string]struct {
		open wire.SupportOpen
		want string
	}{
		"no signature":       {forged(func(o *wire.SupportOpen) { o.Signature = nil }), "device that may approve"},
		"a stranger":         {w.opening(signer(t), w.body()), "may not approve"},
		"one of the staff":   {w.opening(w.other, w.body()), "belongs to staff"},
		"a member":           {w.opening(member, w.body()), "belongs to a member"},
		"the hub: longer":    {forged(func(o *wire.SupportOpen) { o.Body.Hours = 24 }), "does not hold"},
		"the hub: its key":   {forged(func(o *wire.SupportOpen) { o.Body.Staff[0].SPKI = w.other.SPKI() }), "does not hold"},
		"the hub: one more":  {forged(func(o *wire.SupportOpen) { o.Body.Staff = append(o.Body.Staff, o.Body.Staff[0]) }), "does not hold"},
		"the hub: more":      {forged(func(o *wire.SupportOpen) { o.Body.What = wire.SupportKinds() }), "does not hold"},
		"the hub: another":   {forged(func(o *wire.SupportOpen) { o.Body.ID = serverID }), "does not hold"},
		"the hub: purpose":   {forged(func(o *wire.SupportOpen) { o.Body.Purpose = "Nothing much." }), "does not hold"},
		"for too long":       {shaped(func(b *wire.SupportBody) { b.Hours = 25 }), "1 to 24 hours"},
		"for no time":        {shaped(func(b *wire.SupportBody) { b.Hours = 0 }), "1 to 24 hours"},
		"for nobody":         {shaped(func(b *wire.SupportBody) { b.Staff = nil }), "1 to 10"},
		"for nothing":        {shaped(func(b *wire.SupportBody) { b.What = nil }), "no kind of content"},
		"for the vault":      {shaped(func(b *wire.SupportBody) { b.What = []wire.SupportKind{"vault"} }), "there is not"},
		"for no purpose":     {shaped(func(b *wire.SupportBody) { b.Purpose = " " }), "one line"},
		"a misleading one":   {shaped(func(b *wire.SupportBody) { b.Purpose = "x\u202ey" }), "one line"},
		"no number":          {shaped(func(b *wire.SupportBody) { b.ID = "1" }), "no number"},
		"a key that is none": {shaped(func(b *wire.SupportBody) { b.Staff[0].SPKI = "AA" }), "is none that can be used"},
		"a passkey":          {shaped(func(b *wire.SupportBody) { b.Staff[0].Kind = wire.PasskeyKey }), "is none that can be used"},
	} {
		_, err := w.call(wire.MethodSupportOpen, tc.open)
		wantRefused(t, name, err, tc.want)
	}
	if len(w.states) != 0 || w.receipts("support.opened") != 0 || w.receipts("support.refused") != 10 {
		t.Errorf("told %+v; %d refusals on record", w.states, w.receipts("support.refused"))
	}
	w.move(6 * time.Minute)
	_, err := w.call(wire.MethodSupportOpen, good)
	wantRefused(t, "kept back", err, "more than 5 minutes")
}

// TestLook_keyTakenBack: a key that the owner enrolled for staff once and took back counts in no window.
func TestLook_keyTakenBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.trust(w.clerk, wire.HolderStaff)
	w.opened()
	l, own := w.looking(w.clerk, aFile)
	_, err := w.shown(l, own)
	must(t, err)
	_, err = w.keys.Revoke(t.Context(), wire.Revocation{KeyID: w.clerk.KeyID})
	must(t, err)
	l, _ = w.looking(w.clerk, wire.SupportAsk{See: wire.SeeFiles})
	_, err = w.call(wire.MethodSupportLook, l)
	wantRefused(t, "taken back", err, "taken this key back")
}

// TestLook_failed: what cannot be read says so, and that nothing was shown is on record.
func TestLook_failed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.body()
	b.What = wire.SupportKinds()
	_, err := w.call(wire.MethodSupportOpen, w.opening(w.owner, b))
	must(t, err)
	l, _ := w.looking(w.clerk, wire.SupportAsk{See: wire.SeeFile, Name: "gone.txt"})
	_, err = w.call(wire.MethodSupportLook, l)
	wantRefused(t, "a file that is gone", err, "no such file")
	l, _ = w.looking(w.clerk, wire.SupportAsk{See: wire.SeeLogs, Name: "shop"})
	_, err = w.call(wire.MethodSupportLook, l)
	wantRefused(t, "no engine", err, "cannot ask a container engine")
	if w.receipts("support.failed") != 2 {
		t.Errorf("%d failures on record", w.receipts("support.failed"))
	}
}
