"""The operator's stream: typed events to any number of sinks."""
