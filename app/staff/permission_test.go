package staff_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"gatehouse/app/audit"
	"gatehouse/app/fault"
	"gatehouse/app/staff"
)

// matrix is the table of permissions as it was agreed. A change of power shows here first: it is reviewed, not discovered.
const matrix = `
                  OWNER ADMIN MANAGER SUPPORT
customers.read    x     x     x       x
customers.write   x     x     x       -
orders.read       x     x     x       x
orders.act        x     x     x       -
servers.read      x     x     x       x
servers.command   x     x     x       -
servers.power     x     x     -       -
servers.destroy   x     -     -       -
pool.manage       x     x     -       -
providers.manage  x     -     -       -
approvals.read    x     x     x       x
approvals.decide  x     x     x       -
support.use       x     x     x       x
billing.read      x     x     x       -
billing.manage    x     x     -       -
analytics.read    x     x     x       -
staff.manage      x     x     -       -
settings.manage   x     x     -       -
audit.read        x     x     -       -
jobs.manage       x     x     -       -
own               x     x     x       x
`

func TestRole_May_matrix(t *testing.T) {
	t.Parallel()
	lines := strings.Split(strings.TrimSpace(matrix), "\n")
	roles := strings.Fields(lines[0])
	if len(roles) != len(staff.Roles()) {
		t.Fatalf("the matrix has the roles %v, there are %v", roles, staff.Roles())
	}
	var seen []staff.Permission
	for _, line := range lines[1:] {
		f := strings.Fields(line)
		p := staff.Permission(f[0])
		if p != staff.Own {
			seen = append(seen, p)
		}
		for i, role := range roles {
			may := f[i+1] == "x"
			if got := staff.Role(role).May(p); got != may {
				t.Errorf("%s may %s: %t, want %t", role, p, got, may)
			}
			err := staff.Require(audit.Actor{Kind: audit.Staff, Role: role}, p)
			if (err == nil) != may || err != nil && fault.Of(err).Kind != fault.Forbidden {
				t.Errorf("%s is let do %s: %v", role, p, err)
			}
		}
	}
	if !slices.Equal(seen, staff.Permissions()) {
		t.Errorf("the matrix lists %v, there are %v", seen, staff.Permissions())
	}
}

// TestRole_May_nobody: what is no role has no permission, and what is no permission nobody has.
func TestRole_May_nobody(t *testing.T) {
	t.Parallel()
	for _, p := range append(staff.Permissions(), staff.Own, "", "all") {
		for _, r := range []staff.Role{"", "owner", "member", "staff"} {
			if r.May(p) {
				t.Errorf("%q may %q", r, p)
			}
		}
	}
	for _, r := range staff.Roles() {
		if r.May("") || r.May("all") {
			t.Errorf("%s may what is no permission", r)
		}
	}
}

// TestRequire_others: customers and the hub itself are no staff, whatever role they name.
func TestRequire_others(t *testing.T) {
	t.Parallel()
	for _, by := range []audit.Actor{{Kind: audit.User, Role: "SUPPORT"}, audit.Itself} {
		if err := staff.Require(by, staff.OrdersAct); err != nil {
			t.Errorf("%v: %v", by, err)
		}
	}
}

// TestRefused_saysWho: whoever is refused reads which role could do it.
func TestRefused_saysWho(t *testing.T) {
	t.Parallel()
	for p, want := range map[staff.Permission]string{
		staff.ServersDestroy: "An owner of the staff can", staff.StaffManage: "An admin or an owner of the staff can",
		staff.OrdersAct: "A manager, an admin or an owner of the staff can", staff.OrdersRead: "Ask an owner",
	} {
		if got := fault.Of(staff.Refused(p)).Public; !strings.Contains(got, want) {
			t.Errorf("%s: %q does not say %q", p, got, want)
		}
	}
	if errors.Is(staff.Refused(staff.OrdersAct), staff.Refused(staff.ServersDestroy)) {
		t.Error("two refusals are one")
	}
}

func TestRole_Manages(t *testing.T) {
	t.Parallel()
	for _, r := range staff.Roles() {
		for _, other := range staff.Roles() {
			want := r == staff.Owner || r == staff.Admin && other != staff.Owner
			if got := r.Manages(other); got != want {
				t.Errorf("%s manages %s: %t", r, other, got)
			}
		}
	}
}
