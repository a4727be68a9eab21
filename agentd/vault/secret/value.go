package secret

import (
	"errors"
	"fmt"
	"log/slog"
)

// hidden is what every way of printing shows.
const hidden = "[SECRET]"

// Value is a secret in memory. It holds a closure, not bytes: fmt reaches bytes in a private field even past String,
// Format and LogValue. The zero Value is empty.
type Value struct{ reveal func() string }

// New wraps a value.
func New(s string) Value { return Value{func() string { return s }} }

// Reveal gives the value away. Call it where it is used and keep the result nowhere.
func (v Value) Reveal() string {
	if v.reveal == nil {
		return ""
	}
	return v.reveal()
}

// Empty says whether there is a value at all.
func (v Value) Empty() bool { return v.Reveal() == "" }

// String hides the value.
func (Value) String() string { return hidden }

// GoString hides the value.
func (Value) GoString() string { return hidden }

// Format hides the value from every verb of fmt.
func (Value) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(hidden)) } // fmt keeps no error either

// LogValue hides the value from slog.
func (Value) LogValue() slog.Value { return slog.StringValue(hidden) }

// errMarshal says that a value was about to leave the process.
var errMarshal = errors.New("a secret value is never written down")

// MarshalJSON refuses.
func (Value) MarshalJSON() ([]byte, error) { return nil, errMarshal }

// MarshalText refuses.
func (Value) MarshalText() ([]byte, error) { return nil, errMarshal }

// MarshalBinary refuses; encoding/gob asks for it.
func (Value) MarshalBinary() ([]byte, error) { return nil, errMarshal }
