-- A new password ends the API tokens of the person as it ends the sign-ins: whoever it is chosen against may have made one.
CREATE FUNCTION users_end_tokens() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	UPDATE api_tokens SET revoked_at = now() WHERE customer_id = NEW.customer_id AND user_id = NEW.id AND revoked_at IS NULL;
	RETURN NULL;
END $$;
CREATE TRIGGER users_end_tokens AFTER UPDATE ON users FOR EACH ROW
	WHEN (OLD.password_hash <> NEW.password_hash) EXECUTE FUNCTION users_end_tokens();

CREATE FUNCTION staff_end_tokens() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	UPDATE api_tokens SET revoked_at = now() WHERE staff_id = NEW.id AND revoked_at IS NULL;
	RETURN NULL;
END $$;
CREATE TRIGGER staff_end_tokens AFTER UPDATE ON staff FOR EACH ROW
	WHEN (OLD.password_hash <> NEW.password_hash) EXECUTE FUNCTION staff_end_tokens();
