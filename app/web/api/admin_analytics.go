package api

import (
	"context"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"gatehouse/app/usage"
)

// Analyst adds up what all customers used; usage.Analyst does.
type Analyst interface {
	Analysis(ctx context.Context, from, to time.Time) (usage.Analysis, error)
}

type tokenPart struct {
	ID   string `json:"id,omitempty"`
	Name string `json:"name"`
	counts
}

type lateServer struct {
	ServerID   string     `json:"server_id"`
	CustomerID string     `json:"customer_id"`
	UpTo       *time.Time `json:"up_to"` // null: it has not told yet
	Differs    string     `json:"differs"`
}

type tokenAnalysis struct {
	From      time.Time    `json:"from"`
	To        time.Time    `json:"to"`
	Total     counts       `json:"total"`
	Customers []tokenPart  `json:"customers"`
	Models    []tokenPart  `json:"models"`
	Agents    []tokenPart  `json:"agents"`
	Late      []lateServer `json:"late"`
}

// adminTokens answers GET admin/analytics/tokens.
func (h *handler) adminTokens(c echo.Context) error {
	from, to, err := daysOf(c, h.Now().UTC())
	if err != nil {
		return err
	}
	a, err := h.Analyst.Analysis(c.Request().Context(), from, to)
	if err != nil {
		return err
	}
	out := tokenAnalysis{
		From: a.From, To: a.To, Total: countsOf(a.Total),
		Customers: partsOf(a.Customers), Models: partsOf(a.Models), Agents: partsOf(a.Agents), Late: []lateServer{},
	}
	for _, l := range a.Late {
		late := lateServer{ServerID: string(l.Server), CustomerID: string(l.Customer), Differs: l.Off}
		if !l.UpTo.IsZero() {
			late.UpTo = &l.UpTo
		}
		out.Late = append(out.Late, late)
	}
	return c.JSON(http.StatusOK, out)
}

func partsOf(all []usage.Part) []tokenPart {
	out := make([]tokenPart, len(all))
	for i, p := range all {
		out[i] = tokenPart{ID: p.ID, Name: p.Name, counts: countsOf(p.Counts)}
	}
	return out
}
