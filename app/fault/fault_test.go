package fault

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

func TestOf(t *testing.T) {
	t.Parallel()
	gone := New(NotFound, "x-gone", "row missing", "That is not there any more.")
	if got := Of(fmt.Errorf("load: %w", gone)); got != gone {
		t.Errorf("wrapped fault: got %+v", got)
	}
	secret := errors.New("pq: password authentication failed")
	if got := Of(fmt.Errorf("query: %w", secret)); got.Kind != Internal || strings.Contains(got.Public, "password") {
		t.Errorf("a foreign error shows as %+v", got)
	}
}

func TestBad_namesFields(t *testing.T) {
	t.Parallel()
	f := Bad(map[string]string{"email": "This is not an address."})
	if f.Kind != Invalid || f.Fields["email"] == "" {
		t.Errorf("got %+v", f)
	}
}
