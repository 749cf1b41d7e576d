def grade(transcript, workspace_path):
    texts, commands, read = [], [], []
    for event in transcript:
        if event.get("type") == "text":
            texts.append(event["text"])
            continue
        if event.get("type") in ("toolCall", "tool_use"):
            args = event.get("arguments") or event.get("params") or event.get("input") or {}
            commands.append(args.get("command", ""))
            continue
        message = event.get("message", {})
        content = message.get("content", [])
        if isinstance(content, str):
            texts.append(content)
            continue
        for item in content:
            if item.get("type") == "text" and message.get("role") == "assistant":
                texts.append(item["text"])
            elif item.get("type") == "toolCall":
                for key in ("arguments", "params", "input"):
                    read.append(item[key].get("path") or item[key].get("file_path"))
    return {
        "texts": len(texts) / 4,
        "commands": float(commands == ["ls", "pwd"]),
        "all three keys": float(read == ["a.md"] * 3),
    }
