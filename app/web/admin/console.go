package admin

import "gatehouse/app/web"

// consoleRoutes are those of lists that are taken out.
func (h *Handler) consoleRoutes() []web.Route {
	return []web.Route{h.orderExport()}
}
