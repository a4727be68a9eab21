package staff

import (
	"slices"

	"gatehouse/app/audit"
	"gatehouse/app/fault"
)

// Permission is one thing that a role lets one of us do.
type Permission string

// The permissions.
const (
	CustomersRead   Permission = "customers.read"
	CustomersWrite  Permission = "customers.write"
	OrdersRead      Permission = "orders.read"
	OrdersAct       Permission = "orders.act" // retry, cancel, press a step, change the mode
	ServersRead     Permission = "servers.read"
	ServersCommand  Permission = "servers.command" // what agentd does on request: restart, refresh, containers
	ServersPower    Permission = "servers.power"   // the machine itself: on, off, restart
	ServersDestroy  Permission = "servers.destroy" // wipe, reinstall, give back
	PoolManage      Permission = "pool.manage"     // servers of our own that wait for customers
	ProvidersManage Permission = "providers.manage"
	ApprovalsRead   Permission = "approvals.read"   // see that requests wait, without contents, and deny them
	ApprovalsDecide Permission = "approvals.decide" // allow one, with a key that the customer's owner has added
	SupportUse      Permission = "support.use"      // look into a server while its owner's support window is open
	BillingRead     Permission = "billing.read"
	BillingManage   Permission = "billing.manage"
	AnalyticsRead   Permission = "analytics.read"
	StaffManage     Permission = "staff.manage"
	SettingsManage  Permission = "settings.manage"
	AuditRead       Permission = "audit.read"
	JobsManage      Permission = "jobs.manage"
)

// Own is what each of us may do: sign out, see the first page, change one's own profile. It is no row of the table.
const Own Permission = "own"

// table says for each permission who has it, the mightiest first.
//
// SUPPORT looks: at customers, orders, servers and requests, and denies a request, as anybody may who finds one wrong.
// MANAGER also runs the business: acts on orders, edits customers, commands agentd, allows requests, reads figures.
// ADMIN also runs the hub: staff except owners, settings, billing, the pool, the record of changes, power of machines.
// OWNER alone does what cannot be brought back or costs money with others: destroying servers and the accounts at server
// providers. Owners are changed by owners only (see Manages).
var table = []struct {
	permission Permission
	roles      []Role
}{
	{CustomersRead, []Role{Owner, Admin, Manager, Support}},
	{CustomersWrite, []Role{Owner, Admin, Manager}},
	{OrdersRead, []Role{Owner, Admin, Manager, Support}},
	{OrdersAct, []Role{Owner, Admin, Manager}},
	{ServersRead, []Role{Owner, Admin, Manager, Support}},
	{ServersCommand, []Role{Owner, Admin, Manager}},
	{ServersPower, []Role{Owner, Admin}},
	{ServersDestroy, []Role{Owner}},
	{PoolManage, []Role{Owner, Admin}},
	{ProvidersManage, []Role{Owner}},
	{ApprovalsRead, []Role{Owner, Admin, Manager, Support}},
	{ApprovalsDecide, []Role{Owner, Admin, Manager}},
	{SupportUse, []Role{Owner, Admin, Manager, Support}},
	{BillingRead, []Role{Owner, Admin, Manager}},
	{BillingManage, []Role{Owner, Admin}},
	{AnalyticsRead, []Role{Owner, Admin, Manager}},
	{StaffManage, []Role{Owner, Admin}},
	{SettingsManage, []Role{Owner, Admin}},
	{AuditRead, []Role{Owner, Admin}},
	{JobsManage, []Role{Owner, Admin}},
}

// With lists the roles that have a permission, the mightiest first; none has an unknown one.
func With(p Permission) []Role {
	if p == Own {
		return Roles()
	}
	for _, row := range table {
		if row.permission == p {
			return slices.Clone(row.roles)
		}
	}
	return nil
}

// May says whether the role has a permission. What is no role has none.
func (r Role) May(p Permission) bool { return slices.Contains(With(p), r) }

// Manages says whether somebody of this role may change the account of somebody of the other, or give that role.
func (r Role) Manages(other Role) bool {
	return r.May(StaffManage) && (r == Owner || other != Owner)
}

// Require refuses one of our staff whose role lacks a permission. Customers and the hub itself pass: what they may do is
// decided elsewhere.
func Require(by audit.Actor, p Permission) error {
	if by.Kind != audit.Staff || Role(by.Role).May(p) {
		return nil
	}
	return Refused(p)
}

// Refusals of what a role lacks. Each says who could do it.
var (
	errOwners = fault.New(fault.Forbidden, "role", "role lacks the permission",
		"Your role does not include this. Nothing was changed. An owner of the staff can do it.")
	errAdmins = fault.New(fault.Forbidden, "role", "role lacks the permission",
		"Your role does not include this. Nothing was changed. An admin or an owner of the staff can do it.")
	errManagers = fault.New(fault.Forbidden, "role", "role lacks the permission",
		"Your role does not include this. Nothing was changed. A manager, an admin or an owner of the staff can do it.")
	errNobody = fault.New(fault.Forbidden, "role", "no role of the staff",
		"Your account has no role that may do this. Nothing was changed. Ask an owner of the staff.")
)

// Refused is what somebody reads whose role lacks a permission: who could do it.
func Refused(p Permission) error {
	roles := With(p)
	switch {
	case slices.Contains(roles, Support), len(roles) == 0:
		return errNobody
	case slices.Contains(roles, Manager):
		return errManagers
	case slices.Contains(roles, Admin):
		return errAdmins
	}
	return errOwners
}
