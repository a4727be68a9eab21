package api

import (
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"gatehouse/app/approval"
	"gatehouse/app/order"
	"gatehouse/app/page"
	"gatehouse/app/server"
)

// adminOrder is an order as staff see it.
type adminOrder struct {
	ID         string    `json:"id"`
	Number     int64     `json:"number"`
	CustomerID string    `json:"customer_id"`
	Plan       string    `json:"plan"`
	Mode       string    `json:"mode"`
	State      string    `json:"state"`
	FailedStep string    `json:"failed_step,omitempty"`
	Reason     string    `json:"reason,omitempty"`
	ServerID   string    `json:"server_id,omitempty"`
	Provider   string    `json:"provider,omitempty"`
	Standing   string    `json:"standing,omitempty"`
	Replaces   string    `json:"replaces,omitempty"`
	EndReason  string    `json:"end_reason,omitempty"`
	ReleaseAt  time.Time `json:"release_at,omitzero"`
	CreatedAt  time.Time `json:"created_at"`
	UpdatedAt  time.Time `json:"updated_at"`
}

// adminOrders answers GET admin/orders.
func (h *handler) adminOrders(c echo.Context) error {
	ask, err := soughtSorted(c)
	if err != nil {
		return err
	}
	f := order.Filter{
		State: order.State(c.QueryParam("state")), Mode: order.Mode(c.QueryParam("mode")), Provider: c.QueryParam("provider"),
		Region: order.Region(c.QueryParam("region")), Plan: c.QueryParam("plan"), Sort: c.QueryParam("sort"),
	}
	if f.From, f.To, err = page.Days(c.QueryParam("from"), c.QueryParam("to"), time.UTC); err != nil {
		return err
	}
	of, err := h.Orders.List(c.Request().Context(), f, ask)
	return answer(c, of, err, adminOrderOf)
}

// adminServer is a server as staff see it.
type adminServer struct {
	ID            string     `json:"id"`
	CustomerID    string     `json:"customer_id"`
	Provider      string     `json:"provider"`
	Slug          string     `json:"slug"`
	State         string     `json:"state"`
	AgentdVersion string     `json:"agentd_version"`
	LastSeen      *time.Time `json:"last_seen"`
	CreatedAt     time.Time  `json:"created_at"`
}

// adminServers answers GET admin/servers.
func (h *handler) adminServers(c echo.Context) error {
	ask, err := sought(c)
	if err != nil {
		return err
	}
	of, err := h.Servers.List(c.Request().Context(), server.Filter{State: server.State(c.QueryParam("state"))}, ask)
	return answer(c, of, err, adminServerOf)
}

func adminServerOf(v server.Server) adminServer {
	b := brief(v)
	return adminServer{
		ID: b.ID, CustomerID: string(v.CustomerID), Provider: v.Provider, Slug: v.Slug, State: b.State,
		AgentdVersion: v.AgentdVersion, LastSeen: b.LastSeen, CreatedAt: v.CreatedAt,
	}
}

// adminApproval is an approval as staff see it: who, which tool and tier, when; never contents.
type adminApproval struct {
	ID         string    `json:"id"`
	CustomerID string    `json:"customer_id"`
	Customer   string    `json:"customer"`
	ServerID   string    `json:"server_id"`
	Agent      string    `json:"agent"`
	Tool       string    `json:"tool"`
	Tier       string    `json:"tier"`
	State      string    `json:"state"`
	Execution  string    `json:"execution"`
	CreatedAt  time.Time `json:"created_at"`
	ExpiresAt  time.Time `json:"expires_at"`
}

// adminApprovals answers GET admin/approvals.
func (h *handler) adminApprovals(c echo.Context) error {
	q, err := queryOf(c, sought)
	if err != nil {
		return err
	}
	of, err := h.Inbox.ListAll(c.Request().Context(), q)
	return answer(c, of, err, func(v approval.Item) adminApproval {
		return adminApproval{
			ID: v.ID, CustomerID: string(v.CustomerID), Customer: v.Customer, ServerID: v.ServerID, Agent: v.Agent, Tool: v.Tool, Tier: v.Tier,
			State: string(v.State), Execution: string(v.Execution), CreatedAt: v.CreatedAt, ExpiresAt: v.ExpiresAt,
		}
	})
}

// answer writes one page of a list.
func answer[T, U any](c echo.Context, of page.Of[T], err error, each func(T) U) error {
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, list(of, each))
}
