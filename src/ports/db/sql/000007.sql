-- Each new message counts what its sender sent recently.
CREATE INDEX feedback_by_user ON feedback (user_id, created_at);
