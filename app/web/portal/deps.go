package portal

import (
	"log/slog"
	"time"

	"gatehouse/app/account"
	"gatehouse/app/approval"
	"gatehouse/app/approver"
	"gatehouse/app/billing"
	"gatehouse/app/channel"
	"gatehouse/app/chat"
	"gatehouse/app/credential"
	"gatehouse/app/export"
	"gatehouse/app/file"
	"gatehouse/app/hook"
	"gatehouse/app/machine"
	"gatehouse/app/memory"
	"gatehouse/app/order"
	"gatehouse/app/passkey"
	"gatehouse/app/payment"
	"gatehouse/app/permission"
	"gatehouse/app/push"
	"gatehouse/app/regain"
	"gatehouse/app/relay"
	"gatehouse/app/schedule"
	"gatehouse/app/server"
	"gatehouse/app/support"
	"gatehouse/app/team"
	"gatehouse/app/usage"
	accountpages "gatehouse/app/web/portal/account"
	"gatehouse/app/welcome"
)

// Deps are the services behind the portal. Each section declares which of their methods it uses.
type Deps struct {
	Chat        *chat.Service
	Inbox       *approval.Service
	Keys        *approver.Service
	Servers     *server.Service
	Consents    *machine.Consents
	Orders      *order.Service
	Team        *team.Service
	Credentials *credential.Service
	Permissions *permission.Service
	Files       *file.Service
	Memory      *memory.Service
	Crew        *team.Crew
	Schedules   *schedule.Service
	Hooks       *hook.Service
	Channels    *channel.Service
	Archives    *export.Service
	Known       accountpages.Known
	Live        *relay.Relay
	Tokens      *account.Tokens
	People      *account.Service
	Seconds     *account.Seconds
	Passkeys    *passkey.Service
	Devices     *push.Service
	Tasks       *welcome.Service
	Support     *support.Service
	Usage       *usage.Reader
	Regain      *regain.Service
	Bills       *billing.Service
	Payments    *payment.Service
	Now         func() time.Time
	Log         *slog.Logger
}
