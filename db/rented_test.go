package db_test

import (
	"errors"
	"testing"

	"gatehouse/app/provider/vpshost/hetzner"
	"gatehouse/db"
)

func TestRented(t *testing.T) {
	t.Parallel()
	s := &db.Rented{DB: fresh(t)}
	m := hetzner.Machine{ServerID: id(t), RentedID: 7, Address: "192.0.2.7", Port: 22, HostKey: "ssh-ed25519 AAAA"}
	must(t, s.Keep(t.Context(), m))
	other := m
	other.ServerID = id(t)
	must(t, s.Keep(t.Context(), other))
	m.Port, m.RentedID = 22022, 8
	must(t, s.Keep(t.Context(), m))
	if got, err := s.Rented(t.Context(), m.ServerID); err != nil || got != m {
		t.Errorf("found %+v, %v", got, err)
	}
	for range 2 {
		must(t, s.Forget(t.Context(), m.ServerID))
	}
	if _, err := s.Rented(t.Context(), m.ServerID); !errors.Is(err, hetzner.ErrNone) {
		t.Errorf("after it was forgotten: %v", err)
	}
	if got, err := s.Rented(t.Context(), other.ServerID); err != nil || got != other {
		t.Errorf("the other one: %+v, %v", got, err)
	}
}
