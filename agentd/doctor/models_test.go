package doctor_test

import (
	"net"
	"path/filepath"
	"strings"
	"testing"

	"gatehouse/agentd/doctor"
	"gatehouse/agentd/llm/socket"
)

func TestCheck_models(t *testing.T) {
	t.Parallel()
	in := server(t)
	if f := find(t, in, "models"); f.State != doctor.OK || !strings.Contains(f.Text, "rehearses") {
		t.Errorf("without a model: %+v", f)
	}
	in.ModelName, in.ProxySocket = "large", filepath.Join(filepath.Dir(in.State), "proxy.sock")
	if f := find(t, in, "models"); f.State != doctor.Fail || f.Mend == "" {
		t.Errorf("without a proxy: %+v", f)
	}
	l, err := socket.Listen(t.Context(), in.ProxySocket, socket.Own)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	if f := find(t, in, "models"); f.State != doctor.Warn || !strings.Contains(f.Text, "own user") {
		t.Errorf("with a proxy of the same user: %+v", f)
	}
}

func TestCheck_bypass(t *testing.T) {
	t.Parallel()
	in := server(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	in.ModelBaseURL = "http://" + l.Addr().String() + "/v1"
	if f := find(t, in, "bypass"); f.State != doctor.Warn || !strings.Contains(f.Text, l.Addr().String()) {
		t.Errorf("a provider that can be reached: %+v", f)
	}
	_ = l.Close()
	in.ModelBaseURL = "http://127.0.0.1:1/v1" // not the closed one: a process that is being started may hold a copy of it
	if f := find(t, in, "bypass"); f.State != doctor.OK {
		t.Errorf("a provider that cannot: %+v", f)
	}
}
