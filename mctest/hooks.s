// Functions without a body are pushed by the runtime; this file lets the compiler accept them.
