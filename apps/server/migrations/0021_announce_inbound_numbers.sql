-- Every node forgets which numbers are known and unknown to it (InboundNumbers) when a number or trunk changes, whoever writes it.
CREATE FUNCTION "announce_inbound_numbers"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('parley', 'inbound_numbers changed');
  RETURN NULL;
END
$$;--> statement-breakpoint
CREATE TRIGGER "announce_inbound_numbers" AFTER INSERT OR UPDATE OR DELETE ON "phone_numbers"
  FOR EACH STATEMENT EXECUTE FUNCTION "announce_inbound_numbers"();--> statement-breakpoint
CREATE TRIGGER "announce_inbound_numbers" AFTER UPDATE OR DELETE ON "sip_trunks"
  FOR EACH STATEMENT EXECUTE FUNCTION "announce_inbound_numbers"();
