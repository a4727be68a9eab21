-- Machines that are rented at a provider, one for a server. A line stays until the provider has said that the machine is deleted.
CREATE TABLE rented_machines (
	server_id  uuid PRIMARY KEY,
	rented_id  bigint NOT NULL, -- the provider's own number of it
	address    text NOT NULL CHECK (address <> ''),
	port       int NOT NULL CHECK (port BETWEEN 1 AND 65535),
	host_key   text NOT NULL CHECK (host_key <> ''), -- as in authorized_keys
	created_at timestamptz NOT NULL DEFAULT now()
);
