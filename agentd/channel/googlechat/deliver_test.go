package googlechat_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"gatehouse/agentd/channel"
	"gatehouse/agentd/channel/channeltest"
	"gatehouse/agentd/channel/googlechat/googlechattest"
	"gatehouse/agentd/wire"
)

// TestDeliver_signature: nothing is read that Google has not signed for this project, not long ago; a clock that is five minutes off does
// no harm.
func TestDeliver_signature(t *testing.T) {
	t.Parallel()
	s := googlechattest.Start(t)
	r := run(t, s, channel.Env{}).Ready(t)
	message := map[string]any{"message": s.Message("spaces/dm1", "Hello", nil)}
	body := googlechattest.Event("MESSAGE", owner, "spaces/dm1", time.Now(), message)
	claims := func(change func(jwt.MapClaims)) jwt.MapClaims {
		c := googlechattest.Claims(time.Now())
		change(c)
		return c
	}
	past := time.Now().Add(-6 * time.Minute).Unix()
	good := googlechattest.Sign(googlechattest.Claims(time.Now()), false, "")
	none, err := jwt.NewWithClaims(jwt.SigningMethodNone, googlechattest.Claims(time.Now())).SignedString(jwt.UnsafeAllowNoneSignatureType)
	if err != nil {
		t.Fatal(err)
	}
	symmetric, err := jwt.NewWithClaims(jwt.SigningMethodHS256, googlechattest.Claims(time.Now())).
		SignedString([]byte(googlechattest.Project))
	if err != nil {
		t.Fatal(err)
	}
	for what, token := range map[string]string{
		"missing":         "",
		"no token":        "x.y.z",
		"not signed":      none,
		"another way":     symmetric,
		"somebody else":   googlechattest.Sign(googlechattest.Claims(time.Now()), true, ""),
		"an unknown key":  googlechattest.Sign(googlechattest.Claims(time.Now()), false, "k2"),
		"another project": googlechattest.Sign(claims(func(c jwt.MapClaims) { c["aud"] = "999999999999" }), false, ""),
		"another issuer":  googlechattest.Sign(claims(func(c jwt.MapClaims) { c["iss"] = "x@system.gserviceaccount.com" }), false, ""),
		"old":             googlechattest.Sign(claims(func(c jwt.MapClaims) { c["exp"] = past }), false, ""),
		"for ever":        googlechattest.Sign(claims(func(c jwt.MapClaims) { delete(c, "exp") }), false, ""),
		"changed":         good[:len(good)-4] + "AAAA",
	} {
		if got := deliver(t, r.Channel, googlechattest.Delivery(body, token)); got.Status != http.StatusUnauthorized {
			t.Errorf("%s: %d", what, got.Status)
		}
	}
	if got := deliver(t, r.Channel, googlechattest.Delivery([]byte("{"), good)); got.Status != http.StatusBadRequest {
		t.Errorf("rubbish: %d", got.Status)
	}
	if len(r.Came()) != 0 {
		t.Fatalf("%+v", r.Came())
	}
	if n := s.Calls(googlechattest.RouteCerts); n != 1 {
		t.Errorf("keys were asked for %d times", n)
	}
	for what, token := range map[string]string{
		"good": good,
		"our clock is ahead": googlechattest.Sign(claims(func(c jwt.MapClaims) {
			c["exp"] = time.Now().Add(-4*time.Minute - 50*time.Second).Unix()
		}), false, ""),
		"our clock is behind": googlechattest.Sign(claims(func(c jwt.MapClaims) {
			c["iat"] = time.Now().Add(4*time.Minute + 50*time.Second).Unix()
		}), false, ""),
	} {
		if got := deliver(t, r.Channel, googlechattest.Delivery(body, token)); got.Status != http.StatusOK || string(got.Body) != "{}" {
			t.Errorf("%s: %d", what, got.Status)
		}
	}
	if len(r.Came()) != 3 {
		t.Errorf("%d came", len(r.Came()))
	}
}

// TestDeliver_keys: the channel is up once it has Google's keys. Until then nothing is taken, and nothing is called forged.
func TestDeliver_keys(t *testing.T) {
	t.Parallel()
	type fault = googlechattest.Fault
	for what, f := range map[string]fault{
		"broken": {Status: 500}, "silence": {Hang: true}, "cut": {Cut: true}, "another's": {Garbage: true},
	} {
		s := googlechattest.Start(t)
		s.Fail(googlechattest.RouteCerts, f, f)
		var known *channel.Trouble
		if err := run(t, s, channel.Env{}).End(t); !errors.As(err, &known) || known.Hard {
			t.Errorf("%s: %v", what, err)
		}
		ch := made(t, s, channel.Env{}) // which does not run yet
		s.Bring(func(d wire.ChannelDelivery) wire.ChannelAnswer { return deliver(t, ch, d) })
		if got := s.Says(owner, "Hello"); got.Status != http.StatusServiceUnavailable {
			t.Errorf("%s: %d", what, got.Status)
		}
		r := run(t, s, channel.Env{}).Ready(t)
		n := s.Calls(googlechattest.RouteCerts)
		if got := s.Says(owner, "Hello"); got.Status != http.StatusOK || len(r.Came()) != 1 || s.Calls(googlechattest.RouteCerts) != n {
			t.Errorf("%s: afterwards %d", what, got.Status)
		}
	}
}

// TestDeliver_keysOnTheirWay: what comes while the keys are asked for is to come again.
func TestDeliver_keysOnTheirWay(t *testing.T) {
	t.Parallel()
	s := googlechattest.Start(t)
	s.Fail(googlechattest.RouteCerts, googlechattest.Fault{Hang: true})
	ch := made(t, s, channel.Env{})
	message := map[string]any{"message": s.Message("spaces/dm1", "Hello", nil)}
	body := googlechattest.Event("MESSAGE", owner, "spaces/dm1", time.Now(), message)
	brings := func() int {
		token := googlechattest.Sign(googlechattest.Claims(time.Now()), false, "")
		return deliver(t, ch, googlechattest.Delivery(body, token)).Status
	}
	first := make(chan int, 1)
	go func() { first <- brings() }()
	channeltest.Until(t, "the keys are asked for", func() bool { return s.Calls(googlechattest.RouteCerts) == 1 })
	if got := brings(); got != http.StatusServiceUnavailable {
		t.Errorf("the second one: %d", got)
	}
	if got := <-first; got != http.StatusServiceUnavailable {
		t.Errorf("the first one: %d", got)
	}
}

// TestDeliver_away: what is brought while nobody takes it is refused.
func TestDeliver_away(t *testing.T) {
	t.Parallel()
	s := googlechattest.Start(t)
	r := run(t, s, channel.Env{}).Ready(t)
	r.Stop()
	if got := s.Says(owner, "Hello"); got.Status != http.StatusServiceUnavailable {
		t.Errorf("%+v", got)
	}
}

// TestApp_allows: nothing is allowed by what Google brings: its signature does not cover that.
func TestApp_allows(t *testing.T) {
	t.Parallel()
	if can := made(t, googlechattest.Start(t), channel.Env{}).Capabilities(); can.Allows || !can.Buttons {
		t.Errorf("%+v", can)
	}
}

// TestRead: a direct message is private, everything else a group, of which the name of the app is left out; a press names its message; what
// nobody wrote is nothing.
func TestRead(t *testing.T) {
	t.Parallel()
	s := googlechattest.Start(t)
	r := run(t, s, channel.Env{}).Ready(t)
	s.Says(owner, "How full is the disk? 👩‍👩‍👧‍👦 שלום")
	s.Sends(other, googlechattest.Room, "@Team hello", map[string]any{"argumentText": " hello"})
	s.Bring(nil)
	all := r.Waits(t, 2)
	if m := all[0]; m.Address != owner.ID || m.Name != "Owner" || !m.Proven || !strings.HasPrefix(m.ID, "spaces/dm") {
		t.Errorf("%+v", m)
	}
	if m := all[0]; m.Group != "" || m.Reply.To != "" || m.Text != "How full is the disk? 👩‍👩‍👧‍👦 שלום" {
		t.Errorf("%+v", m)
	}
	if m := all[1]; m.Group != "#AAAAroom" || m.Reply.To != m.Group || m.Text != "hello" {
		t.Errorf("%+v", m)
	}
	s2 := googlechattest.Start(t)
	r2 := run(t, s2, channel.Env{}).Ready(t)
	on := googlechattest.Sent{Name: "spaces/dm1/messages/a.b", Thread: "spaces/dm1/threads/t", Space: "spaces/dm1"}
	s2.Presses(owner, on, googlechattest.Button{Data: "allow 1"})
	if m := r2.Waits(t, 1)[0]; m.Press == nil || m.Press.Data != "allow 1" || m.Press.On != on.Name+" "+on.Thread || m.Text != "" {
		t.Errorf("%+v", m)
	}
	token := googlechattest.Sign(googlechattest.Claims(time.Now()), false, "")
	message := map[string]any{"message": s2.Message("spaces/dm1", "Hello", nil)}
	for what, body := range map[string][]byte{
		"added":           googlechattest.Event("ADDED_TO_SPACE", owner, "spaces/dm1", time.Now(), nil),
		"nobody":          googlechattest.Event("MESSAGE", googlechattest.Person{}, "spaces/dm1", time.Now(), message),
		"of another room": googlechattest.Event("MESSAGE", owner, "spaces/dm2", time.Now(), message),
		"no space":        googlechattest.Event("MESSAGE", owner, "x", time.Now(), message),
		"old":             googlechattest.Event("MESSAGE", owner, "spaces/dm1", time.Now().Add(-31*24*time.Hour), message),
		"empty":           []byte("{}"),
	} {
		if got := deliver(t, r2.Channel, googlechattest.Delivery(body, token)); got.Status != http.StatusOK || len(r2.Came()) != 1 {
			t.Errorf("%s: %d, %+v", what, got.Status, r2.Came())
		}
	}
	body := googlechattest.Event("MESSAGE", owner, "spaces/dm1", time.Now(), message)
	for range 5 {
		deliver(t, r2.Channel, googlechattest.Delivery(body, token))
	}
	if all := r2.Came(); len(all) != 6 || all[1].ID != all[5].ID {
		t.Errorf("a repeat is not known by its id: %+v", all)
	}
}

// TestFiles: attachments are fetched up to a size; those of Google Drive, and names that lead elsewhere, are not.
func TestFiles(t *testing.T) {
	t.Parallel()
	s := googlechattest.Start(t)
	r := run(t, s, channel.Env{}).Ready(t)
	odd := s.Keeps("x", "text/plain", nil)
	odd["attachmentDataRef"] = map[string]string{"resourceName": "../spaces?x"}
	s.Sends(owner, "spaces/dm1", "Look", map[string]any{"attachment": []any{
		s.Keeps("bill.pdf", "application/pdf", []byte("pdf")), s.Keeps("film.mp4", "video/mp4", make([]byte, 20<<20+1)), odd,
		map[string]string{"contentName": "plan", "source": "DRIVE_FILE"},
	}})
	m := r.Waits(t, 1)[0]
	s.Fail(googlechattest.RouteMedia, googlechattest.Fault{Status: 500}, googlechattest.Fault{Cut: true})
	files, left := m.Fetch(t.Context())
	if len(files) != 1 || files[0].Name != "1-bill.pdf" || string(files[0].Data) != "pdf" {
		t.Errorf("%+v", files)
	}
	if len(left) != 2 || len(m.Left) != 1 {
		t.Errorf("%q %q", left, m.Left)
	}
}
