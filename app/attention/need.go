package attention

import "gatehouse/app/staff"

// Need is one figure that waits for a person.
type Need struct {
	Name  string // as pages and programs know it
	Count int
}

// Needs are the figures that are not zero and that may says somebody may look into, the most urgent first.
func (c Counts) Needs(may func(staff.Permission) bool) (all []Need) {
	for _, k := range []struct {
		name  string
		needs staff.Permission
		count int
		shown bool
	}{
		{"failed", staff.OrdersRead, c.Failed, c.Failed > 0},
		{"late", staff.OrdersRead, c.Late, c.Late > 0},
		{"offline", staff.ServersRead, c.Offline, c.Offline > 0},
		{"held", staff.ServersRead, c.Held, c.Held > 0},
		{"dead", staff.JobsManage, c.Dead, c.Dead > 0},
		{"manual", staff.OrdersRead, c.Manual, c.Manual > 0},
		{"degraded", staff.ServersRead, c.Degraded, c.Degraded > 0},
		{"empty", staff.PoolManage, c.Free, c.Empty()},
		{"hands", staff.PoolManage, c.Hands, c.Hands > 0},
		{"retried", staff.JobsManage, c.Retried, c.Retried > 0},
		{"expiring", staff.ApprovalsRead, c.Expiring, c.Expiring > 0},
		{"seller", staff.BillingRead, 1, c.NoSeller},
		{"rate", staff.BillingRead, 1, c.NoRate},
		{"unbilled", staff.BillingRead, c.Unbilled, c.Unbilled > 0},
		{"overdue", staff.BillingRead, c.Overdue, c.Overdue > 0},
		{"ran_out", staff.StaffManage, c.RanOut, c.RanOut > 0},
	} {
		if k.shown && may(k.needs) {
			all = append(all, Need{Name: k.name, Count: k.count})
		}
	}
	return all
}
