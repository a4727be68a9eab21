package admin

import "gatehouse/app/web"

// consoleRoutes are those of lists that are taken out, of the settings and of customers.
func (h *Handler) consoleRoutes() []web.Route {
	return append(append(append(h.settingRoutes(), h.customerRoutes()...), h.photoRoutes()...), h.orderExport())
}
