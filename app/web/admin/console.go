package admin

import "gatehouse/app/web"

// consoleRoutes are those of lists that are taken out, and of the settings.
func (h *Handler) consoleRoutes() []web.Route {
	return append(h.settingRoutes(), h.orderExport())
}
