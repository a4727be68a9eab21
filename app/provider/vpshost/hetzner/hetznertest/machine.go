package hetznertest

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hetznercloud/hcloud-go/v2/hcloud/schema"
)

// acts are what a machine can be asked to do, by the last part of the path, with what the record calls it.
var acts = map[string]string{
	"poweron": "start_server", "shutdown": "shutdown_server", "reset": "reset_server", "enable_rescue": "enable_rescue",
	"disable_rescue": "disable_rescue", "rebuild": "rebuild_server", "create_image": "create_image",
	"change_dns_ptr": "change_dns_ptr",
}

func (p *Project) machineRoutes(mux *http.ServeMux) {
	mux.HandleFunc("GET /servers/{id}/actions", p.listServerActions)
	mux.HandleFunc("POST /servers/{id}/actions/{act}", p.act)
	mux.HandleFunc("GET /servers/{id}/metrics", p.metrics)
	mux.HandleFunc("GET /actions/{id}", p.getAction)
	mux.HandleFunc("GET /images", p.listImages)
	mux.HandleFunc("GET /images/{id}", p.getImage)
	mux.HandleFunc("DELETE /images/{id}", p.deleteImage)
}

// Did is how often something was begun, by what the record calls it.
func (p *Project) Did(command string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := 0
	for _, a := range p.actions {
		if a.Command == command {
			n++
		}
	}
	return n
}

// Begun is how much was ever begun.
func (p *Project) Begun() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.actions)
}

// Images are the snapshots that there are.
func (p *Project) Images() []schema.Image {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.images)
}

// InRescue says whether a machine runs the rescue system.
func (p *Project) InRescue(server int64) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.rescued[server]
}

// Built is what the disk of a machine was made of last: the name or number of an image; empty since it was ordered.
func (p *Project) Built(server int64) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.built[server]
}

func (p *Project) listServerActions(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	id, _ := strconv.ParseInt(r.PathValue("id"), 10, 64)
	list := schema.ActionListResponse{Actions: []schema.Action{}}
	for _, a := range p.actions {
		if a.Resources[0].ID == id {
			list.Actions = append(list.Actions, a)
		}
	}
	slices.SortFunc(list.Actions, func(a, b schema.Action) int { return int(b.ID - a.ID) })
	answer(w, http.StatusOK, list)
}

func (p *Project) getAction(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	id, _ := strconv.ParseInt(r.PathValue("id"), 10, 64)
	a, ok := p.actions[id]
	if !ok {
		refuse(w, http.StatusNotFound, "not_found")
		return
	}
	answer(w, http.StatusOK, schema.ActionGetResponse{Action: p.looked(a)})
}

// looked brings an action that runs to its end: looked at, it is done.
func (p *Project) looked(a schema.Action) schema.Action {
	if a.Status != "running" {
		return a
	}
	now := clock()
	a.Status, a.Progress, a.Finished = "success", 100, &now
	p.actions[a.ID] = a
	for i := range p.servers {
		if p.servers[i].ID == a.Resources[0].ID {
			p.happened(&p.servers[i], a.Command)
		}
	}
	return a
}

// happened is what a machine is like after something was done with it.
func (p *Project) happened(s *schema.Server, command string) {
	switch command {
	case "shutdown_server":
		s.Status = "off"
	case "start_server", "reset_server":
		s.Status, p.rescued[s.ID], s.RescueEnabled = "running", s.RescueEnabled, false // the rescue system starts once
	case "enable_rescue":
		s.RescueEnabled = true
	case "disable_rescue":
		s.RescueEnabled = false
	case "rebuild_server":
		s.Status = "running"
	case "create_image":
		for i := range p.images {
			if p.images[i].Status == "creating" && p.images[i].CreatedFrom.ID == s.ID {
				p.images[i].Status = "available"
			}
		}
	}
}

func (p *Project) act(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	id, _ := strconv.ParseInt(r.PathValue("id"), 10, 64)
	i := slices.IndexFunc(p.servers, func(s schema.Server) bool { return s.ID == id })
	command := acts[r.PathValue("act")]
	switch {
	case i < 0 || command == "":
		refuse(w, http.StatusNotFound, "not_found")
		return
	case p.busy(id):
		refuse(w, http.StatusLocked, "locked")
		return
	}
	switch command {
	case "create_image":
		p.createImage(w, r, p.servers[i])
	case "rebuild_server":
		p.rebuild(w, r, id)
	case "enable_rescue":
		p.enableRescue(w, r, id)
	case "change_dns_ptr":
		p.changeName(w, r, &p.servers[i])
	default:
		answer(w, http.StatusCreated, schema.ActionGetResponse{Action: p.begin(command, id)})
	}
}

// changeName has an address of the machine lead back to a name.
func (p *Project) changeName(w http.ResponseWriter, r *http.Request, s *schema.Server) {
	var ask schema.ServerActionChangeDNSPtrRequest
	err := json.NewDecoder(r.Body).Decode(&ask)
	if err != nil || ask.IP != s.PublicNet.IPv4.IP || ask.DNSPtr == nil || strings.HasSuffix(*ask.DNSPtr, ".localhost") {
		refuse(w, http.StatusUnprocessableEntity, "invalid_input")
		return
	}
	s.PublicNet.IPv4.DNSPtr = *ask.DNSPtr
	answer(w, http.StatusCreated, schema.ActionGetResponse{Action: p.begin("change_dns_ptr", s.ID)})
}

// busy says whether something is done with a machine. The API takes one thing at a time.
func (p *Project) busy(server int64) bool {
	for _, a := range p.actions {
		if a.Status == "running" && a.Resources[0].ID == server {
			return true
		}
	}
	return false
}

func (p *Project) enableRescue(w http.ResponseWriter, r *http.Request, id int64) {
	var ask schema.ServerActionEnableRescueRequest
	if err := json.NewDecoder(r.Body).Decode(&ask); err != nil || ask.Type == nil || *ask.Type != "linux64" || !p.known(ask.SSHKeys) {
		refuse(w, http.StatusUnprocessableEntity, "invalid_input")
		return
	}
	answer(w, http.StatusCreated, schema.ServerActionEnableRescueResponse{
		Action: p.begin("enable_rescue", id), RootPassword: "of-the-rescue",
	})
}

func (p *Project) known(keys []int64) bool {
	for _, id := range keys {
		if !slices.ContainsFunc(p.keys, func(k schema.SSHKey) bool { return k.ID == id }) {
			return false
		}
	}
	return true
}

func (p *Project) rebuild(w http.ResponseWriter, r *http.Request, id int64) {
	var ask struct {
		Image    json.RawMessage `json:"image"`
		UserData string          `json:"user_data"`
	}
	if err := json.NewDecoder(r.Body).Decode(&ask); err != nil {
		refuse(w, http.StatusBadRequest, "json_error")
		return
	}
	name := strings.Trim(string(ask.Image), `"`)
	isOurs := func(i schema.Image) bool { return strconv.FormatInt(i.ID, 10) == name && i.Status == "available" }
	if name != "debian-12" && !slices.ContainsFunc(p.images, isOurs) {
		refuse(w, http.StatusUnprocessableEntity, "invalid_input")
		return
	}
	p.built[id] = name
	answer(w, http.StatusCreated, schema.ServerActionRebuildResponse{Action: p.begin("rebuild_server", id)})
}

func (p *Project) createImage(w http.ResponseWriter, r *http.Request, s schema.Server) {
	var ask schema.ServerActionCreateImageRequest
	if err := json.NewDecoder(r.Body).Decode(&ask); err != nil || ask.Type == nil || *ask.Type != "snapshot" || ask.Labels == nil {
		refuse(w, http.StatusUnprocessableEntity, "invalid_input")
		return
	}
	p.next++
	now, size := clock(), float32(2.5)
	made := schema.Image{
		ID: p.next, Status: "creating", Type: *ask.Type, Description: *ask.Description, Created: &now, ImageSize: &size,
		CreatedFrom: &schema.ImageCreatedFrom{ID: s.ID, Name: s.Name}, Labels: *ask.Labels,
	}
	p.images = append(p.images, made)
	answer(w, http.StatusCreated, schema.ServerActionCreateImageResponse{Action: p.begin("create_image", s.ID), Image: made})
}

func (p *Project) listImages(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	list := schema.ImageListResponse{Images: []schema.Image{}}
	for _, i := range p.images {
		if i.Type == "snapshot" && selected(i.Labels, r.URL.Query().Get("label_selector")) {
			list.Images = append(list.Images, i)
		}
	}
	answer(w, http.StatusOK, list)
}

// selected says whether labels fit a selector: parts with commas between, each a name with a value or alone.
func selected(labels map[string]string, selector string) bool {
	for part := range strings.SplitSeq(selector, ",") {
		name, value, valued := strings.Cut(part, "=")
		got, has := labels[name]
		if !has || valued && got != value {
			return false
		}
	}
	return true
}

func (p *Project) image(r *http.Request) int {
	id, _ := strconv.ParseInt(r.PathValue("id"), 10, 64)
	return slices.IndexFunc(p.images, func(i schema.Image) bool { return i.ID == id })
}

// getImage tells of a snapshot. Looked at, what runs on its machine comes to its end.
func (p *Project) getImage(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	i := p.image(r)
	if i < 0 {
		refuse(w, http.StatusNotFound, "not_found")
		return
	}
	now := p.images[i]
	for _, a := range p.actions {
		if a.Command == "create_image" && a.Resources[0].ID == now.CreatedFrom.ID {
			p.looked(a)
		}
	}
	answer(w, http.StatusOK, schema.ImageGetResponse{Image: now})
}

func (p *Project) deleteImage(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	i := p.image(r)
	if i < 0 {
		refuse(w, http.StatusNotFound, "not_found")
		return
	}
	p.images = slices.Delete(p.images, i, i+1)
	w.WriteHeader(http.StatusNoContent)
}

func (p *Project) metrics(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	from, err := time.Parse(time.RFC3339, q.Get("start"))
	if err != nil || !slices.Equal(q["type"], []string{"cpu", "disk", "network"}) {
		refuse(w, http.StatusUnprocessableEntity, "invalid_input")
		return
	}
	var m schema.ServerGetMetricsResponse
	m.Metrics.Start, m.Metrics.Step, m.Metrics.TimeSeries = from, 60, map[string]schema.ServerTimeSeriesVals{}
	for name, values := range map[string][]string{
		"cpu": {"20", "NaN", "40"}, "disk.0.bandwidth.read": {"1000", "3000"}, "disk.0.bandwidth.write": {"0"},
		"network.0.bandwidth.in": {"512"}, "network.0.bandwidth.out": {"2048"}, "network.0.pps.in": {"1"},
	} {
		series := schema.ServerTimeSeriesVals{}
		for i, v := range values {
			series.Values = append(series.Values, []any{float64(from.Unix() + int64(i)*60), v})
		}
		m.Metrics.TimeSeries[name] = series
	}
	answer(w, http.StatusOK, m)
}
