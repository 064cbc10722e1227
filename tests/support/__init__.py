"""What the integration and end-to-end tests share: a scripted engine, a raw client and the gate as a child process."""
