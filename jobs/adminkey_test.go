package jobs_test

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"gatehouse/app/account"
	"gatehouse/app/order"
	"gatehouse/app/pricing"
	"gatehouse/db/dbtest"
)

// TestOrder_adminKey: the SSH key that the owner gave with the order is what their machine is set up with.
func TestOrder_adminKey(t *testing.T) {
	t.Parallel()
	b := newBench(t, dbtest.New(t))
	b.work(t, b.deps(time.Now))
	_, o, err := b.orders.Checkout(t.Context(), account.SignUp{
		Name: "Somebody", Business: "Example Bakery", Email: "s" + uuid.NewString() + "@example.com", Password: "correct staple battery",
		TimeZone: "Europe/Vienna",
	}, order.Choice{Plan: pricing.Build, AdminKey: someKey})
	if err != nil {
		t.Fatal(err)
	}
	b.reaches(t, o, order.Fulfilled)
	b.host.mu.Lock()
	defer b.host.mu.Unlock()
	if want := someKey[:len(someKey)-len(" me")]; b.host.adminKey != want {
		t.Errorf("set up with %q, want %q", b.host.adminKey, want)
	}
}
