package second_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"gatehouse/app/second"
)

var noon = time.Date(2026, 3, 2, 12, 0, 5, 0, time.UTC)

func factor(t *testing.T) *second.Factor {
	t.Helper()
	f, err := second.New("someone@example.com")
	if err != nil {
		t.Fatal(err)
	}
	return &f
}

func code(t *testing.T, f *second.Factor, at time.Time) string {
	t.Helper()
	c, err := second.CodeAt(f.Secret, at)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestFactor_Check_window(t *testing.T) {
	t.Parallel()
	for off, want := range map[time.Duration]error{
		0: nil, -30 * time.Second: nil, 30 * time.Second: nil, -61 * time.Second: second.ErrCode, 61 * time.Second: second.ErrCode,
	} {
		f := factor(t)
		if err := f.Check(" "+code(t, f, noon.Add(off))+" ", noon); !errors.Is(err, want) {
			t.Errorf("code of %s: %v, want %v", off, err, want)
		}
	}
	f := factor(t)
	for _, bad := range []string{"", "12345", "1234567", "abcdef", strings.Repeat("1", 10_000)} {
		if bad == code(t, f, noon) {
			continue
		}
		f.Tries = 0
		if err := f.Check(bad, noon); !errors.Is(err, second.ErrCode) {
			t.Errorf("code %.10q: %v", bad, err)
		}
	}
}

func TestFactor_Check_once(t *testing.T) {
	t.Parallel()
	f := factor(t)
	if err := f.Check(code(t, f, noon), noon); err != nil {
		t.Fatal(err)
	}
	if err := f.Check(code(t, f, noon), noon.Add(time.Second)); !errors.Is(err, second.ErrCode) {
		t.Errorf("the same code again: %v", err)
	}
	if err := f.Check(code(t, f, noon.Add(-30*time.Second)), noon.Add(time.Second)); !errors.Is(err, second.ErrCode) {
		t.Errorf("an older code after a newer one: %v", err)
	}
	later := noon.Add(30 * time.Second)
	if err := f.Check(code(t, f, later), later); err != nil {
		t.Errorf("the next code: %v", err)
	}
}

func TestFactor_Check_sixthTry(t *testing.T) {
	t.Parallel()
	f := factor(t)
	wrong := "000000"
	if wrong == code(t, f, noon) {
		wrong = "000001"
	}
	for i := range 5 {
		if err := f.Check(wrong, noon.Add(time.Duration(i)*time.Minute)); !errors.Is(err, second.ErrCode) {
			t.Fatalf("try %d: %v", i+1, err)
		}
	}
	at := noon.Add(14 * time.Minute)
	if err := f.Check(code(t, f, at), at); !errors.Is(err, second.ErrCodeOut) {
		t.Errorf("sixth try, right: %v", err)
	}
	at = noon.Add(15 * time.Minute)
	if err := f.Check(code(t, f, at), at); err != nil {
		t.Errorf("a quarter of an hour later: %v", err)
	}
}

func TestFactor_URL(t *testing.T) {
	t.Parallel()
	f := second.Factor{Secret: "ABC"}
	if got, want := f.URL("a b@example.com"), "otpauth://totp/Gatehouse:a%20b@example.com?issuer=Gatehouse&secret=ABC"; got != want {
		t.Errorf("link %q, want %q", got, want)
	}
}
