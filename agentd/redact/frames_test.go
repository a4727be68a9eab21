package redact_test

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"gatehouse/agentd/redact"
	"gatehouse/agentd/wire"
)

// TestFrame_wire: whatever goes to the hub travels as it is, with keys, ids, hashes and signatures of
// their real shapes in every field that holds one.
func TestFrame_wire(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(11, 12))
	e := redact.New()
	for _, body := range []any{
		wire.Approval{},
		wire.Decision{},
		wire.ApprovalUpdate{},
		wire.ConfigState{},
		wire.Run{},
		wire.RunsResult{},
		wire.Session{},
		wire.SessionsResult{},
		wire.ReceiptsResult{},
		wire.Checkpoint{},
		wire.Auth{},
		wire.Challenge{},
		wire.EventsResult{},
		wire.ToolData{},
		wire.FinalData{},
		wire.ErrorData{},
		wire.RegisterRequest{},
		wire.Sealed{},
		wire.SecretOpening{},
		wire.SecretProvide{},
		wire.SecretReveal{},
		wire.SecretRevealed{},
		wire.SecretBind{},
		wire.SecretsResult{},
		wire.SecretRequestsResult{},
		wire.SecretAuditResult{},
		wire.ApproverState{},
		wire.Enrolment{},
		wire.Enrolled{},
		wire.Revocation{},
		wire.FlaggedResult{},
		wire.WindowsResult{},
		wire.PermissionsPreview{},
	} {
		v := reflect.New(reflect.TypeOf(body)).Elem()
		full(r, v, "")
		inner, err := json.Marshal(v.Interface())
		if err != nil {
			t.Fatal(err)
		}
		reply, err := json.Marshal(wire.RPCReply{ID: "0198a7c2-11d2-7c3e-9f00-1b2c3d4e5f60", Result: inner})
		if err != nil {
			t.Fatal(err)
		}
		for _, frame := range [][]byte{inner, reply} {
			if out := e.Frame(frame); !bytes.Equal(out, frame) {
				t.Errorf("%T\n%s\nbecame\n%s", body, frame, out)
			}
		}
	}
}

// full fills a value: the name of a field in JSON says what is in it.
func full(r *rand.Rand, v reflect.Value, name string) {
	switch {
	case v.Type() == reflect.TypeFor[time.Time]():
		v.Set(reflect.ValueOf(time.Unix(1_790_000_000, 0).UTC()))
	case v.Type() == reflect.TypeFor[json.RawMessage]():
		v.Set(reflect.ValueOf(json.RawMessage(`{"path":"a\nb"}`)))
	case v.Kind() == reflect.String:
		v.SetString(valueOf(r, name))
	case v.Kind() == reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		full(r, v.Elem(), name)
	case v.Kind() == reflect.Slice && v.Type().Elem().Kind() != reflect.Uint8:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		full(r, v.Index(0), name)
		full(r, v.Index(1), name)
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
			full(r, v.Field(i), name)
		}
	}
}

const base64URL = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

// valueOf is what a field of that name holds.
func valueOf(r *rand.Rand, name string) string {
	draw := func(from string, n int) string {
		b := make([]byte, n)
		for i := range b {
			b[i] = from[r.IntN(len(from))]
		}
		return string(b)
	}
	switch {
	case strings.HasSuffix(name, "hash") || name == "digest" || name == "card_key":
		return draw("0123456789abcdef", 64)
	case strings.HasSuffix(name, "_key"), name == "key_id", name == "nonce", name == "credential_id", name == "proof", name == "confirm", name == "card_proof", name == "key":
		return draw(base64URL, 43)
	case name == "sig", name == "signature":
		return draw(base64URL, []int{86, 342, 683}[r.IntN(3)]) // ECDSA, or RSA of 2048 and of 4096 bits
	case name == "box", name == "auth_data", name == "client_data":
		return draw(base64URL, 300)
	case name == "spki":
		return draw(base64URL, []int{122, 392, 734}[r.IntN(3)]) // likewise
	case name == "id", strings.HasSuffix(name, "_id"):
		return "0198a7c2-11d2-7c3e-9f00-" + draw("0123456789abcdef", 12)
	}
	return "x"
}
