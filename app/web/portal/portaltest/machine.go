package portaltest

import (
	"time"

	"gatehouse/app/machine"
	"gatehouse/db"
	"gatehouse/db/dbtest"
)

// consents are those of owners to snapshots. The servers of these tests are at a provider that makes some.
func (h *Hub) consents() *machine.Consents {
	return &machine.Consents{
		Store: db.SnapshotConsents{MachineActs: &db.MachineActs{DB: h.DB, Jobs: dbtest.NoJobs{}}},
		Can:   map[string]machine.Abilities{"local": {Power: true, Snapshots: true}}, Now: time.Now,
	}
}
