package admin

import (
	"time"

	"gatehouse/views/ui"
)

// NewCustomerPath makes a customer.
const NewCustomerPath = CustomersPath + "/new"

// EditCustomerPath changes what is kept about one.
func EditCustomerPath(id string) string { return CustomerPath(id) + "/edit" }

// CustomerNotesPath takes a note about one.
func CustomerNotesPath(id string) string { return CustomerPath(id) + "/notes" }

// CustomerInvitationPath takes an act on the invitation of the first owner: again, withdraw.
func CustomerInvitationPath(id string) string { return CustomerPath(id) + "/invitation" }

// Customers is one page of the customers.
type Customers struct {
	List[Customer]
	May bool // the reader may make some
}

// CustomerForm is what our staff write about a customer.
type CustomerForm struct {
	ID                            string // empty: a new one
	Name, Address, Zone, Language string
	Email                         string // of who becomes its owner; a new one only
	Problems                      []ui.Problem
}

func (f CustomerForm) action() string {
	if f.ID == "" {
		return NewCustomerPath
	}
	return EditCustomerPath(f.ID)
}

func (f CustomerForm) back() string {
	if f.ID == "" {
		return CustomersPath
	}
	return CustomerPath(f.ID)
}

// FirstOwner is who is to become the owner of a customer that has no people yet.
type FirstOwner struct {
	Email   string // as typed, when it does not fit
	Open    bool   // an invitation is open
	Since   time.Time
	Until   time.Time
	Mailed  bool
	Refused bool // the mail server took no mail to the address
	Expired bool
	Problem string // what is wrong with the address
}

// Notes are the notes of our staff about a customer.
type Notes struct {
	List[Note]
	Typed   string // a note that does not fit
	Problem string
}

// Note is one.
type Note struct {
	ID, Text, By string
	At           time.Time
}
