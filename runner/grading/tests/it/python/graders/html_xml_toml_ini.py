import configparser, html, tomllib
import xml.etree.ElementTree as ET
from html.parser import HTMLParser

class Links(HTMLParser):
    def __init__(self):
        super().__init__()
        self.found = []

    def handle_starttag(self, tag, attrs):
        if tag == "a":
            self.found.append(dict(attrs).get("href"))

def grade(transcript, workspace_path):
    links = Links()
    links.feed(open(workspace_path + "/page.html").read())
    tree = ET.fromstring("<r><i n='1'/><i n='2'/></r>")
    ini = configparser.ConfigParser()
    ini.read_string("[a]\nb = 1\n")
    return {
        "links": float(links.found == ["https://example.com/?a=1&b=2"]),
        "xml": sum(int(i.get("n")) for i in tree.iter("i")) / 3,
        "toml": float(tomllib.loads("[x]\ny = 2")["x"]["y"] == 2),
        "ini": ini.getint("a", "b") / 1,
        "html": float(html.unescape("&lt;b&gt;") == "<b>"),
    }
