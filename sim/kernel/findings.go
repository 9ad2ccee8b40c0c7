package kernel

// MessagesProperty is the property name of findings about messages that their senders changed afterwards.
const MessagesProperty = "messages are values"
