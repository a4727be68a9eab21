package pool_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"

	"gatehouse/app/audit"
	machines "gatehouse/app/pool"
	"gatehouse/app/provider/vpshost"
	"gatehouse/app/provider/vpshost/pool"
	"gatehouse/app/provider/vpshost/setup"
	"gatehouse/app/provider/vpshost/vpshosttest"
	"gatehouse/db"
	"gatehouse/db/dbtest"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// add puts a free machine into the pool.
func add(t *testing.T, kept *db.Pool, n int) {
	t.Helper()
	id := uuid.Must(uuid.NewV7()).String()
	err := kept.Add(t.Context(), machines.Machine{
		ID: machines.ID(id), Name: fmt.Sprint("machine ", n), Address: fmt.Sprintf("192.0.2.%d", n), Port: 22, Login: "root",
		Region: "eu", State: machines.Free, CreatedAt: time.Now(),
	}, audit.Entry{ID: uuid.Must(uuid.NewV7()).String(), At: time.Now(), By: audit.Itself, Action: "machine.add", Target: id})
	if err != nil {
		t.Fatal(err)
	}
}

// TestContract: what the pool promises as every place does. A machine on which nothing was started is free again.
func TestContract(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	kept := &db.Pool{DB: d}
	for i := range 2 {
		add(t, kept, i+1)
	}
	h := &pool.Host{Machines: kept, Site: &setup.Site{Setups: &db.Setups{DB: d, Now: time.Now}}}
	vpshosttest.Contract(t, h, func() int {
		all, err := kept.List(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, m := range all {
			if m.State == machines.Taken {
				n++
			}
		}
		return n
	})
}

// overtaken is a store whose next OfServer is overtaken: what then does comes between it and what its caller does with the answer.
type overtaken struct {
	machines.Store
	then func()
}

func (s *overtaken) OfServer(ctx context.Context, serverID string) (machines.Machine, error) {
	m, err := s.Store.OfServer(ctx, serverID)
	if then := s.then; then != nil {
		s.then = nil
		then()
	}
	return m, err
}

// TestRelease_twice: of two workers that give a machine back, the later one leaves it alone when another server has it by then.
func TestRelease_twice(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	kept := &db.Pool{DB: d}
	add(t, kept, 1)
	h := &pool.Host{Machines: kept, Site: &setup.Site{Setups: &db.Setups{DB: d, Now: time.Now}}}
	former, next := vpshost.Spec{ServerID: uuid.NewString(), Region: "eu"}, vpshost.Spec{ServerID: uuid.NewString(), Region: "eu"}
	if err := h.Allocate(t.Context(), former); err != nil {
		t.Fatal(err)
	}
	late := *h
	late.Machines = &overtaken{Store: kept, then: func() {
		if err := errors.Join(h.Release(t.Context(), former.ServerID), h.Allocate(t.Context(), next)); err != nil {
			t.Fatal(err)
		}
	}}
	if err := late.Release(t.Context(), former.ServerID); err != nil {
		t.Fatal(err)
	}
	if m, err := kept.OfServer(t.Context(), next.ServerID); err != nil || m.State != machines.Taken {
		t.Errorf("the machine of the next server: %+v, %v", m, err)
	}
}
