package netcuptest

import (
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/crypto/ssh"
)

// Server is a machine in the account.
type Server struct {
	ID                           int64
	Name, Nickname, Product      string
	City, Address, State, System string
	UEFI, Rescue                 bool
	Copies                       []copied
}

type copied struct {
	Name string    `json:"name"`
	Made time.Time `json:"creationTime"`
}

type key struct {
	ID   int64  `json:"id"`
	Name string `json:"name"`
	Key  string `json:"key"`
}

// Install is a new system that was asked for.
type Install struct {
	Server    int64
	Flavour   int64   `json:"imageFlavourId"`
	Disk      string  `json:"diskName"`
	WholeDisk bool    `json:"rootPartitionFullDiskSize"`
	Hostname  string  `json:"hostname"`
	KeyIDs    []int64 `json:"sshKeyIds"`
	Passwords *bool   `json:"sshPasswordAuthentication"`
	Script    string  `json:"customScript"`
	Key       string  // the public key that is let in
}

func (p *Panel) serverRoutes(mux *http.ServeMux) {
	mux.HandleFunc("GET "+core+"/servers", p.list)
	mux.HandleFunc("GET "+core+"/servers/{id}", p.on(p.show))
	mux.HandleFunc("PATCH "+core+"/servers/{id}", p.on(p.power))
	mux.HandleFunc("GET "+core+"/servers/{id}/imageflavours", p.on(flavours))
	mux.HandleFunc("POST "+core+"/servers/{id}/image", p.on(p.install))
	mux.HandleFunc("POST "+core+"/servers/{id}/rescuesystem", p.on(p.rescue(true)))
	mux.HandleFunc("DELETE "+core+"/servers/{id}/rescuesystem", p.on(p.rescue(false)))
	mux.HandleFunc("GET "+core+"/servers/{id}/snapshots", p.on(func(w http.ResponseWriter, _ *http.Request, s *Server) {
		answer(w, http.StatusOK, slices.Concat([]copied{{Name: "by hand"}}, s.Copies))
	}))
	mux.HandleFunc("POST "+core+"/servers/{id}/snapshots", p.on(p.take))
	mux.HandleFunc("DELETE "+core+"/servers/{id}/snapshots/{name}", p.on(p.drop))
	mux.HandleFunc("POST "+core+"/servers/{id}/snapshots/{name}/revert", p.on(p.revert))
	mux.HandleFunc("GET "+core+"/tasks", p.listTasks)
	mux.HandleFunc("GET "+core+"/tasks/{uuid}", p.showTask)
	mux.HandleFunc("GET "+core+"/users/{user}/ssh-keys", p.listKeys)
	mux.HandleFunc("POST "+core+"/users/{user}/ssh-keys", p.addKey)
}

// Servers are the machines as they are.
func (p *Panel) Servers() []Server {
	p.mu.Lock()
	defer p.mu.Unlock()
	all := make([]Server, 0, len(p.servers))
	for _, s := range p.servers {
		all = append(all, *s)
	}
	return all
}

// Put gives a machine another address.
func (p *Panel) Put(id int64, address string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range p.servers {
		if s.ID == id {
			s.Address = address
		}
	}
}

// Leave puts a snapshot on a machine, as somebody did at some time.
func (p *Panel) Leave(id int64, name string, made time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range p.servers {
		if s.ID == id {
			s.Copies = append(s.Copies, copied{name, made.UTC()})
		}
	}
}

// Installs are the new systems that were asked for.
func (p *Panel) Installs() []Install {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.installs)
}

// on finds the machine of a request, and turns away what would change one that is busy.
func (p *Panel) on(do func(http.ResponseWriter, *http.Request, *Server)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		defer p.mu.Unlock()
		id, _ := strconv.ParseInt(r.PathValue("id"), 10, 64)
		i := slices.IndexFunc(p.servers, func(s *Server) bool { return s.ID == id })
		switch {
		case i < 0:
			refuse(w, http.StatusNotFound, "server_not_found", 0)
		case r.Method != http.MethodGet && p.busy(p.servers[i]):
			refuse(w, http.StatusConflict, "server_is_locked", 0)
		default:
			do(w, r, p.servers[i])
		}
	}
}

func (p *Panel) list(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	limit, _ := strconv.Atoi(r.URL.Query().Get("limit"))
	offset, _ := strconv.Atoi(r.URL.Query().Get("offset"))
	all := []map[string]any{}
	for i, s := range p.servers {
		if i >= offset && len(all) < limit {
			all = append(all, s.short())
		}
	}
	answer(w, http.StatusOK, all)
}

func (s *Server) short() map[string]any {
	return map[string]any{
		"id": s.ID, "name": s.Name, "hostname": nil, "nickname": s.Nickname, "disabled": false,
		"template": map[string]any{"id": 1357, "name": s.Product},
	}
}

func (p *Panel) show(w http.ResponseWriter, _ *http.Request, s *Server) {
	m := s.short()
	m["ipv4Addresses"] = []map[string]any{{"id": s.ID, "ip": s.Address, "netmask": "255.255.252.0"}}
	m["site"], m["rescueSystemActive"] = map[string]any{"id": 1, "city": s.City}, s.Rescue
	m["serverLiveInfo"] = map[string]any{
		"state": s.State, "uefi": s.UEFI, "disks": []map[string]any{{"dev": "vda", "capacityInMiB": 262144}},
	}
	answer(w, http.StatusOK, m)
}

func (p *Panel) power(w http.ResponseWriter, r *http.Request, s *Server) {
	var want struct {
		State string `json:"state"`
	}
	option := r.URL.Query().Get("stateOption")
	if r.Header.Get("Content-Type") != "application/merge-patch+json" {
		refuse(w, http.StatusUnsupportedMediaType, "unsupported_media_type", 0)
		return
	}
	err := json.NewDecoder(r.Body).Decode(&want)
	next := map[string]string{"ON": "RUNNING", "OFF": "SHUTOFF"}[want.State]
	if err != nil || next == "" || !slices.Contains([]string{"", "POWERCYCLE", "RESET", "POWEROFF"}, option) {
		refuse(w, http.StatusUnprocessableEntity, "validation_error", 0)
		return
	}
	answer(w, http.StatusAccepted, p.begin("ServerChangeState", s, func(s *Server) { s.State = next }))
}

// images are those that can be installed.
var images = map[int64]string{
	98: "Debian 11.9 UEFI amd64", 99: "Debian cloudimg 12.9 UEFI amd64", 100: "Debian 12.9.0 BIOS amd64", 101: "Debian 12.9.0 UEFI amd64",
	102: "Debian 13.2.0 UEFI amd64", 103: "Ubuntu 24.04.4 UEFI amd64",
}

func flavours(w http.ResponseWriter, _ *http.Request, _ *Server) {
	all := []map[string]any{}
	for id, name := range images {
		all = append(all, map[string]any{"id": id, "name": "minimal", "alias": "minimal", "image": map[string]any{"id": id, "name": name}})
	}
	answer(w, http.StatusOK, all)
}

var hostname = regexp.MustCompile(`^[a-zA-Z0-9]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?$`)

func (p *Panel) install(w http.ResponseWriter, r *http.Request, s *Server) {
	var want Install
	err := json.NewDecoder(r.Body).Decode(&want)
	for _, k := range p.keys {
		if slices.Contains(want.KeyIDs, k.ID) {
			want.Key = k.Key
		}
	}
	image, firmware := images[want.Flavour], "BIOS"
	if s.UEFI {
		firmware = "UEFI"
	}
	if err != nil || !strings.Contains(image, firmware) || !hostname.MatchString(want.Hostname) || want.Key == "" || want.Disk != "vda" {
		refuse(w, http.StatusUnprocessableEntity, "validation_error", 0)
		return
	}
	want.Server = s.ID
	p.installs = append(p.installs, want)
	answer(w, http.StatusAccepted, p.begin("ServerImageSetup", s, func(s *Server) {
		s.System, s.State = image, "RUNNING"
		if p.Boot != nil {
			s.Address = p.Boot(want)
		}
	}))
}

func (p *Panel) rescue(on bool) func(http.ResponseWriter, *http.Request, *Server) {
	return func(w http.ResponseWriter, _ *http.Request, s *Server) {
		if s.Rescue == on {
			refuse(w, http.StatusBadRequest, "rescue_system_is_so_already", 0)
			return
		}
		answer(w, http.StatusAccepted, p.begin("ServerRescueSystem", s, func(s *Server) { s.Rescue, s.State = on, "RUNNING" }))
	}
}

func (s *Server) has(name string) bool {
	return slices.ContainsFunc(s.Copies, func(c copied) bool { return c.Name == name })
}

func (p *Panel) take(w http.ResponseWriter, r *http.Request, s *Server) {
	var want struct {
		Name string `json:"name"`
	}
	if err := json.NewDecoder(r.Body).Decode(&want); err != nil || want.Name == "" || s.has(want.Name) {
		refuse(w, http.StatusUnprocessableEntity, "validation_error", 0)
		return
	}
	t := p.begin("ServerCreateSnapshot", s, func(s *Server) {
		s.Copies = append(s.Copies, copied{want.Name, time.Now().UTC()})
	})
	answer(w, http.StatusAccepted, t)
}

func (p *Panel) drop(w http.ResponseWriter, r *http.Request, s *Server) {
	p.onCopy(w, r, s, func(s *Server) {
		s.Copies = slices.DeleteFunc(s.Copies, func(c copied) bool { return c.Name == r.PathValue("name") })
	})
}

func (p *Panel) revert(w http.ResponseWriter, r *http.Request, s *Server) {
	p.onCopy(w, r, s, func(s *Server) { s.System = "as in " + r.PathValue("name") })
}

func (p *Panel) onCopy(w http.ResponseWriter, r *http.Request, s *Server, do func(*Server)) {
	if !s.has(r.PathValue("name")) {
		refuse(w, http.StatusNotFound, "snapshot_not_found", 0)
		return
	}
	answer(w, http.StatusAccepted, p.begin("ServerSnapshot", s, do))
}

func (p *Panel) listTasks(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	all := []*task{}
	for _, t := range p.tasks {
		if strconv.FormatInt(t.server.ID, 10) == r.URL.Query().Get("serverId") {
			all = append(all, t.looked())
		}
	}
	answer(w, http.StatusOK, all)
}

func (p *Panel) showTask(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, t := range p.tasks {
		if t.UUID == r.PathValue("uuid") {
			answer(w, http.StatusOK, t.looked())
			return
		}
	}
	refuse(w, http.StatusNotFound, "task_not_found", 0)
}

func (p *Panel) listKeys(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if r.PathValue("user") != strconv.Itoa(Owner) {
		refuse(w, http.StatusForbidden, "forbidden", 0)
		return
	}
	answer(w, http.StatusOK, slices.Concat([]key{}, p.keys))
}

func (p *Panel) addKey(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var k key
	if err := json.NewDecoder(r.Body).Decode(&k); err != nil || k.Name == "" || r.PathValue("user") != strconv.Itoa(Owner) {
		refuse(w, http.StatusUnprocessableEntity, "validation_error", 0)
		return
	}
	if _, _, _, _, err := ssh.ParseAuthorizedKey([]byte(k.Key)); err != nil {
		refuse(w, http.StatusUnprocessableEntity, "validation_error", 0)
		return
	}
	k.ID = int64(len(p.keys) + 51000)
	p.keys = append(p.keys, k)
	answer(w, http.StatusCreated, k)
}
