-- Whose the approver keys of a business are. A server knows that a key is one of an owner or of a member, the hub whose.
CREATE TABLE approver_people (
	server_id uuid NOT NULL REFERENCES servers ON DELETE CASCADE,
	key_id    text NOT NULL CHECK (key_id <> ''),
	user_id   uuid NOT NULL REFERENCES users,
	PRIMARY KEY (server_id, key_id)
);

-- Which person of the business asks; what they may do when somebody vouches for them says whose kind of key it becomes.
ALTER TABLE approver_requests ADD COLUMN user_id uuid REFERENCES users;
