package api

import (
	"time"

	"github.com/labstack/echo/v4"

	"gatehouse/app/audit"
)

// adminChange is a record of a change as staff see it.
type adminChange struct {
	ID         string            `json:"id"`
	At         time.Time         `json:"at"`
	By         adminActor        `json:"by"`
	Action     string            `json:"action"`
	Target     string            `json:"target,omitempty"`
	About      *adminThing       `json:"about,omitempty"`
	CustomerID string            `json:"customer_id,omitempty"`
	Customer   string            `json:"customer,omitempty"`
	Details    map[string]string `json:"details"`
}

type adminActor struct {
	Kind    string `json:"kind"`
	ID      string `json:"id,omitempty"`
	Name    string `json:"name"`
	Role    string `json:"role,omitempty"`
	Address string `json:"address,omitempty"`
}

type adminThing struct {
	Kind string `json:"kind"`
	Name string `json:"name"`
}

// adminAudit answers GET admin/audit. Days are those of UTC.
func (h *handler) adminAudit(c echo.Context) error {
	ask, err := sought(c)
	if err != nil {
		return err
	}
	f := audit.Filter{Customer: c.QueryParam("customer"), By: c.QueryParam("by"), Action: c.QueryParam("action")}
	if f, err = f.Days(c.QueryParam("from"), c.QueryParam("to"), time.UTC); err != nil {
		return err
	}
	of, err := h.Records.Find(c.Request().Context(), f, ask)
	return answer(c, of, err, func(v audit.Line) adminChange {
		out := adminChange{
			ID: v.ID, At: v.At, Action: v.Action, Target: v.Target, CustomerID: v.CustomerID, Customer: v.Customer, Details: v.Details,
			By: adminActor{Kind: string(v.By.Kind), ID: v.By.ID, Name: v.By.Name, Role: v.By.Role, Address: v.By.Address},
		}
		if v.About.Kind != "" {
			out.About = &adminThing{Kind: v.About.Kind, Name: v.About.Name}
		}
		return out
	})
}
