package inbox

import (
	"github.com/labstack/echo/v4"

	"gatehouse/agentd/wire"
	"gatehouse/app/approval"
	"gatehouse/app/approver"
	"gatehouse/app/fault"
	"gatehouse/app/server"
	"gatehouse/app/staff"
	"gatehouse/app/web/session"

	views "gatehouse/views/inbox"
)

// leave says what whoever reads may do with the approvals of a server, and where they ask it for a key. It is nil for
// customers: on their own server they may do what their keys allow.
type leave = func(id server.ID) (views.Leave, string)

// leave reads what the reader may do.
func (h *Inbox) leave(c echo.Context) (leave, error) {
	if !h.staff() {
		return nil, nil
	}
	if !allows(c) {
		return func(server.ID) (views.Leave, string) { return views.OnlyDeny, "" }, nil
	}
	keys, err := h.Keys.OfStaff(c.Request().Context(), session.Of(c).StaffID)
	if err != nil {
		return nil, err
	}
	enrolled := map[server.ID]bool{}
	for _, k := range keys {
		enrolled[k.Server] = enrolled[k.Server] || k.Standing == approver.Enrolled
	}
	return func(id server.ID) (views.Leave, string) {
		if enrolled[id] {
			return views.AllowOnce, h.KeysAt(id)
		}
		return views.NoKey, h.KeysAt(id)
	}, nil
}

// allows says whether the role of whoever asks lets them allow for a customer.
func allows(c echo.Context) bool { return staff.Role(session.Of(c).Role).May(staff.ApprovalsDecide) }

var errRole = fault.New(fault.Forbidden, "staff-role", "role allows nothing for customers",
	"Your role can only deny. Nothing was decided. A manager, an admin or an owner of the staff can allow, with a device that the customer's owner has added.")

// mayAnswer refuses staff what their role does not cover.
func (h *Inbox) mayAnswer(c echo.Context, ans approval.Answer) error {
	if h.staff() && ans.Verb != wire.Deny && !allows(c) {
		return errRole
	}
	return nil
}
