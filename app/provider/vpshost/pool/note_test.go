package pool

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"gatehouse/app/audit"
	"gatehouse/app/pool"
	"gatehouse/app/provider/target"
	"gatehouse/db"
	"gatehouse/db/dbtest"
)

// TestNote_givenBack: how a machine is met is noted while it is the server's, and not when another one has it by then.
func TestNote_givenBack(t *testing.T) {
	t.Parallel()
	kept := &db.Pool{DB: dbtest.New(t)}
	id := uuid.NewString()
	err := kept.Add(t.Context(), pool.Machine{
		ID: pool.ID(id), Name: "machine", Address: "192.0.2.1", Port: 22, Login: "root", Region: "eu", State: pool.Free,
		CreatedAt: time.Now(),
	}, audit.Entry{ID: uuid.Must(uuid.NewV7()).String(), At: time.Now(), By: audit.Itself, Action: "machine.add", Target: id})
	if err != nil {
		t.Fatal(err)
	}
	was, err := kept.Take(t.Context(), uuid.NewString(), "eu")
	if err != nil {
		t.Fatal(err)
	}
	h := &Host{Machines: kept}
	former := was
	former.ServerID = uuid.NewString()
	for _, c := range []struct {
		of   pool.Machine
		met  int
		want int
	}{{former, 2222, 22}, {was, 2223, 2223}} {
		if err := h.note(t.Context(), c.of, target.Machine{Ports: []int{c.met}}); err != nil {
			t.Fatal(err)
		}
		if m, err := kept.Get(t.Context(), pool.ID(id)); err != nil || m.Port != c.want {
			t.Errorf("port %d, want %d, %v", m.Port, c.want, err)
		}
	}
}
