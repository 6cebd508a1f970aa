"""Documents into LlamaIndex and LangChain with NVIDIA Nemotron Parse."""
