// Functions without bodies are allowed beside a file in assembly.
