package admin

import (
	"encoding/csv"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"gatehouse/app/audit"
	"gatehouse/app/page"
	"gatehouse/app/staff"
	"gatehouse/app/web"
	"gatehouse/app/web/session"
	views "gatehouse/views/admin"
	"gatehouse/views/layout"
	"gatehouse/views/ui"
)

// auditFilters are the filters of the record, as its address names them.
var auditFilters = []string{"action", "by", "customer", "from", "to"}

// auditFilter is what the record is narrowed to; days are those of the reader.
func auditFilter(c echo.Context, get func(string) string) (audit.Filter, error) {
	f := audit.Filter{Customer: get("customer"), By: get("by"), Action: get("action")}
	return f.Days(get("from"), get("to"), session.Of(c).Zone())
}

// audit answers GET /admin/audit.
func (h *Handler) audit(c echo.Context) error {
	w, err := wantedOf(c, auditFilters...)
	if err != nil {
		return err
	}
	f, err := auditFilter(c, c.QueryParam)
	if err != nil {
		return err
	}
	ctx := c.Request().Context()
	of, err := h.Records.Find(ctx, f, w.Ask)
	if err != nil {
		return err
	}
	faces, err := h.faces(ctx)
	if err != nil {
		return err
	}
	p := views.Audit{
		List: listed(w, views.AuditPath, of, facing(faces)), Most: audit.MaxExport,
		Action: w.narrow["action"], By: w.narrow["by"], Customer: w.narrow["customer"], From: w.narrow["from"], To: w.narrow["to"],
	}
	if p.Actions, err = h.Records.Actions(ctx); err != nil {
		return err
	}
	return h.list(c, "audit.title", "", views.AuditTable(web.Context(c), p), func(f layout.Frame) templ.Component {
		return views.AuditPage(f, p)
	})
}

// newestOf is what was changed last for a customer, for those who may see the record.
func (h *Handler) newestOf(c echo.Context, customer string) (*views.List[views.AuditLine], error) {
	const few = 5
	if !may(c, staff.AuditRead) {
		return nil, nil
	}
	of, err := h.Records.Find(c.Request().Context(), audit.Filter{Customer: customer}, page.Ask{Limit: few})
	if err != nil {
		return nil, err
	}
	faces, err := h.faces(c.Request().Context())
	if err != nil {
		return nil, err
	}
	l := views.List[views.AuditLine]{}
	for _, line := range of.Items {
		l.Items = append(l.Items, facing(faces)(line))
	}
	return &l, nil
}

// facing has lines show who of our staff acted.
func facing(faces map[string]ui.Person) func(audit.Line) views.AuditLine {
	return func(l audit.Line) views.AuditLine {
		p := auditProps(l)
		if f, known := faces[l.By.ID]; known && l.By.Kind == audit.Staff {
			p.Face = &f
		}
		return p
	}
}

func auditProps(l audit.Line) views.AuditLine {
	p := views.AuditLine{
		ID: l.ID, Action: l.Action, At: l.At, Kind: string(l.By.Kind), By: l.By.Name, ByID: l.By.ID, Role: l.By.Role, From: l.By.Address,
		Customer: l.CustomerID, CustomerName: l.Customer, Target: l.Target, About: l.About.Kind, AboutName: l.About.Name,
		Decision: l.Details["decision"],
	}
	for _, name := range slices.Sorted(maps.Keys(l.Details)) {
		p.Details = append(p.Details, ui.Pair{Name: name, Value: l.Details[name], Code: true})
	}
	return p
}

// exportWait is how long a browser may take for one stretch of an export.
const exportWait = time.Minute

// exportAudit answers POST /admin/audit/export: the record as CSV, as it is narrowed.
func (h *Handler) exportAudit(c echo.Context) error {
	form, err := c.FormParams()
	if err != nil {
		return err
	}
	f, err := auditFilter(c, form.Get)
	if err != nil {
		return err
	}
	if f, err = f.Clean(); err != nil {
		return err
	}
	out := csv.NewWriter(c.Response())
	return h.Records.Export(c.Request().Context(), f, form.Get("q"), actorOf(c), func(lines []audit.Line) error {
		return h.writeAudit(c, out, lines, form)
	})
}

// writeAudit sends a stretch of an export, the first with what comes before it.
func (h *Handler) writeAudit(c echo.Context, out *csv.Writer, lines []audit.Line, form url.Values) error {
	if !c.Response().Committed {
		head := c.Response().Header()
		head.Set(echo.HeaderContentType, "text/csv; charset=utf-8")
		head.Set(echo.HeaderContentDisposition, `attachment; filename="`+exportName(h.Now(), form)+`"`)
		c.Response().WriteHeader(http.StatusOK)
		_ = out.Write(audit.Columns()) // Flush tells of an error
	}
	if err := web.Allow(c, exportWait); err != nil {
		return err
	}
	for _, l := range lines {
		_ = out.Write(l.Cells())
	}
	out.Flush()
	if err := out.Error(); err != nil {
		return fmt.Errorf("export audit log: %w", err)
	}
	return nil
}

// exportName names an export by the days it is of, or else by the day it was made.
func exportName(now time.Time, form url.Values) string {
	name := "changes"
	for _, day := range []string{"from", "to"} {
		if v := form.Get(day); v != "" {
			name += "-" + day + "-" + v
		}
	}
	if name == "changes" {
		name += "-" + now.UTC().Format(time.DateOnly)
	}
	return name + ".csv"
}
