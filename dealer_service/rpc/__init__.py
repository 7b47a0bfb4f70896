"""The gRPC surface: validates requests, converts them, and maps refusals to status."""
