package pool_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"

	"gatehouse/app/audit"
	machines "gatehouse/app/pool"
	"gatehouse/app/provider/vpshost/pool"
	"gatehouse/app/provider/vpshost/setup"
	"gatehouse/app/provider/vpshost/vpshosttest"
	"gatehouse/db"
	"gatehouse/db/dbtest"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// TestContract: what the pool promises as every place does. A machine on which nothing was started is free again.
func TestContract(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	kept := &db.Pool{DB: d}
	for i := range 2 {
		id := uuid.Must(uuid.NewV7()).String()
		err := kept.Add(t.Context(), machines.Machine{
			ID: machines.ID(id), Name: fmt.Sprint("machine ", i), Address: fmt.Sprintf("192.0.2.%d", i+1), Port: 22, Login: "root",
			Region: "eu", State: machines.Free, CreatedAt: time.Now(),
		}, audit.Entry{ID: uuid.Must(uuid.NewV7()).String(), At: time.Now(), By: audit.Itself, Action: "machine.add", Target: id})
		if err != nil {
			t.Fatal(err)
		}
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
