// Reads requests as a service on .NET does: with the classes that wsdl makes from the description of the
// service, by the serializer that System.Web.Services gives its methods. Each line of the input is an
// operation and a message in base64. Each line of the output is what was read, or ! and why nothing was.
using System;
using System.Collections;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Reflection;
using System.Text;
using System.Xml;
using System.Xml.Serialization;

static class Oracle {
	const string Space = "http://ar.gov.afip.dif.FEV1/";
	const string Soap11 = "http://schemas.xmlsoap.org/soap/envelope/";
	const string Soap12 = "http://www.w3.org/2003/05/soap-envelope";

	sealed class Method {
		public XmlSerializer Serializer;
		public ParameterInfo[] Parameters;
	}

	static readonly Dictionary<string, Method> methods = new Dictionary<string, Method>();

	static Method Find(string name) {
		Method m;
		if (methods.TryGetValue(name, out m)) return m;
		var parameters = typeof(Ar.Service).GetMethod(name).GetParameters();
		var members = parameters.Select(p => new XmlReflectionMember {
			MemberName = p.Name, MemberType = p.ParameterType, XmlAttributes = new XmlAttributes(p),
		}).ToArray();
		var mapping = new XmlReflectionImporter(Space).ImportMembersMapping(name, Space, members, true);
		m = new Method { Serializer = XmlSerializer.FromMappings(new XmlMapping[] { mapping })[0], Parameters = parameters };
		return methods[name] = m;
	}

	// Read is what the server does with a message before the method is called.
	static object[] Read(Method m, byte[] message) {
		var reader = new XmlTextReader(new StreamReader(new MemoryStream(message), new UTF8Encoding(false, true), true));
		reader.Normalization = true;
		reader.XmlResolver = null;
		reader.MoveToContent();
		var space = reader.NamespaceURI;
		if (space != Soap11 && space != Soap12) throw new Exception("no envelope");
		reader.ReadStartElement("Envelope", space);
		reader.MoveToContent();
		if (reader.LocalName == "Header" && reader.NamespaceURI == space) {
			reader.Skip();
			reader.MoveToContent();
		}
		if (reader.LocalName != "Body" || reader.NamespaceURI != space) throw new Exception("no body");
		if (reader.IsEmptyElement) return new object[0];
		reader.ReadStartElement("Body", space);
		reader.MoveToContent();
		if (reader.NodeType == XmlNodeType.EndElement) return new object[0];
		if (reader.NodeType != XmlNodeType.Element || reader.NamespaceURI != Space) return new object[0]; // nothing of it is seen
		var values = (object[])m.Serializer.Deserialize(reader);
		while (reader.Read()) { } // the rest must be well-formed
		return values;
	}

	static void Text(StringBuilder b, string text) {
		b.Append('"');
		foreach (var c in text) {
			if (c < ' ' || c > '~' || c == '"' || c == '\\') b.AppendFormat("\\u{0:x4}", (int)c);
			else b.Append(c);
		}
		b.Append('"');
	}

	static void Value(StringBuilder b, object v) {
		if (v == null) b.Append('~');
		else if (v is string) Text(b, (string)v);
		else if (v is double) b.AppendFormat("{0:x16}", BitConverter.DoubleToInt64Bits((double)v == 0 ? 0 : (double)v));
		else if (v is IConvertible) b.Append(Convert.ToInt64(v));
		else if (v is IEnumerable) {
			b.Append('[');
			foreach (var item in (IEnumerable)v) Value(b, item);
			b.Append(']');
		} else {
			b.Append('{');
			foreach (var p in v.GetType().GetProperties().OrderBy(p => p.Name, StringComparer.Ordinal)) {
				if (p.Name.EndsWith("Specified", StringComparison.Ordinal)) continue;
				var given = v.GetType().GetProperty(p.Name + "Specified");
				if (given == null || (bool)given.GetValue(v, null)) Member(b, p.Name, p.GetValue(v, null));
			}
			b.Append('}');
		}
	}

	// Member writes a member. A text without characters is as good as none.
	static void Member(StringBuilder b, string name, object v) {
		if (v == null || v is string && (string)v == "") return;
		b.Append(name).Append('=');
		Value(b, v);
		b.Append(';');
	}

	static string Answer(string operation, byte[] message) {
		try {
			var m = Find(operation);
			var values = Read(m, message);
			var b = new StringBuilder();
			foreach (var i in Enumerable.Range(0, m.Parameters.Length).OrderBy(i => m.Parameters[i].Name, StringComparer.Ordinal)) {
				var type = m.Parameters[i].ParameterType;
				var v = i < values.Length ? values[i] : null;
				Member(b, m.Parameters[i].Name, v == null && type.IsValueType ? Activator.CreateInstance(type) : v);
			}
			return b.ToString();
		} catch (Exception e) {
			if (e is TargetInvocationException && e.InnerException != null) e = e.InnerException;
			return "!" + e.GetType().Name + ": " + e.Message.Replace('\r', ' ').Replace('\n', ' ');
		}
	}

	static void Main() {
		var input = new StreamReader(Console.OpenStandardInput(), Encoding.ASCII);
		var output = new StreamWriter(Console.OpenStandardOutput(), Encoding.ASCII);
		for (string line; (line = input.ReadLine()) != null;) {
			var at = line.IndexOf(' ');
			output.WriteLine(Answer(line.Substring(0, at), Convert.FromBase64String(line.Substring(at + 1))));
			output.Flush();
		}
	}
}
