package admin

import "net/url"

// The addresses of the console.
const (
	HomePath      = "/admin"
	CustomersPath = "/admin/customers"
	OrdersPath    = "/admin/orders"
	ServersPath   = "/admin/servers"
	ApprovalsPath = "/admin/approvals"
	KeysPath      = "/admin/keys"
	StreamPath    = "/admin/stream"

	SignInPath  = "/admin/auth/sign-in"
	SignOutPath = "/admin/auth/sign-out"
)

// CustomerPath is the page of one customer.
func CustomerPath(id string) string { return CustomersPath + "/" + id }

// OrderPath is the page of one order.
func OrderPath(id string) string { return OrdersPath + "/" + id }

// OrderActPath takes an act on an order: retry, cancel, press, mode.
func OrderActPath(id string) string { return OrderPath(id) + "/act" }

// ServerPath is the page of one server.
func ServerPath(id string) string { return ServersPath + "/" + id }

// KeysOf is where one of the staff asks a server for a key.
func KeysOf(server string) string { return KeysPath + "/" + server }

// StreamOf is the live stream of a page: what it is about, and which one.
func StreamOf(topic, id string) string {
	return StreamPath + "?" + url.Values{"topic": {topic}, "id": {id}}.Encode()
}
