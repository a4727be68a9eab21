package admin

import (
	"net/url"
	"strconv"
)

// The addresses of the console.
const (
	HomePath      = "/admin"
	CustomersPath = "/admin/customers"
	OrdersPath    = "/admin/orders"
	ServersPath   = "/admin/servers"
	ApprovalsPath = "/admin/approvals"
	PoolPath      = "/admin/pool"
	KeysPath      = "/admin/keys"
	AuditPath     = "/admin/audit"
	TokensPath    = "/admin/tokens"
	JobsPath      = "/admin/jobs"
	UsagePath     = "/admin/usage"
	MarginsPath   = "/admin/analytics"
	MarginsFile   = "/admin/analytics.csv"
	StreamPath    = "/admin/stream"

	SignInPath  = "/admin/auth/sign-in"
	SignOutPath = "/admin/auth/sign-out"
)

// CustomerPath is the page of one customer.
func CustomerPath(id string) string { return CustomersPath + "/" + id }

// OrderPath is the page of one order.
func OrderPath(id string) string { return OrdersPath + "/" + id }

// OrderNamePath takes an act on the name of an order's server: check, make, rename.
func OrderNamePath(id string) string { return OrderPath(id) + "/name" }

// OrderActPath takes an act on an order: retry, cancel, press, mode.
func OrderActPath(id string) string { return OrderPath(id) + "/act" }

// ServerPath is the page of one server.
func ServerPath(id string) string { return ServersPath + "/" + id }

// RequestPath is the page of one request of a customer's team.
func RequestPath(id string) string { return ApprovalsPath + "/" + id }

// JobActPath takes an act on a job: retry, cancel.
func JobActPath(id int64) string { return JobsPath + "/" + strconv.FormatInt(id, 10) + "/act" }

// QueuePath takes an act on a queue: pause, resume.
func QueuePath(name string) string { return JobsPath + "/queues/" + url.PathEscape(name) }

// JobsOf are the jobs of a queue in a state.
func JobsOf(queue, state string) string {
	return JobsPath + "?" + url.Values{"queue": {queue}, "state": {state}}.Encode()
}

// NewTokenPath makes an access key.
const NewTokenPath = TokensPath + "/new"

// RevokeTokenPath ends an access key.
func RevokeTokenPath(id string) string { return TokensPath + "/" + id + "/revoke" }

// AuditExportPath takes the record out as a table.
const AuditExportPath = AuditPath + "/export"

// AuditOf is the record, narrowed by one of its filters.
func AuditOf(filter, value string) string {
	return AuditPath + "?" + url.Values{filter: {value}}.Encode()
}

// KeysOf is where one of the staff asks a server for a key.
func KeysOf(server string) string { return KeysPath + "/" + server }

// StreamOf is the live stream of a page: what it is about, and which one.
func StreamOf(topic, id string) string {
	return StreamPath + "?" + url.Values{"topic": {topic}, "id": {id}}.Encode()
}

// PoolActPath takes an act on a machine of the pool: check, hold, free, host_key, remove.
func PoolActPath(machine string) string { return PoolPath + "/" + machine }
